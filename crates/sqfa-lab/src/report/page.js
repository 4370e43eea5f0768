"use strict";
(function () {
  var root = document.documentElement;
  root.classList.add("js");
  var all = function (selector, within) {
    return Array.prototype.slice.call((within || document).querySelectorAll(selector));
  };

  // Navigation from the sections that are there.
  var nav = document.getElementById("contents");
  all("section[data-nav]").forEach(function (section) {
    var link = document.createElement("a");
    link.href = "#" + section.id;
    link.textContent = section.dataset.nav.split(":")[0];
    nav.appendChild(link);
  });

  // One tip that follows the pointer; a tap shows it too.
  var tip = document.getElementById("tip");
  function point(event) {
    var target = event.target.closest ? event.target.closest("[data-tip]") : null;
    var text = target && target.dataset.tip;
    if (!text) { tip.hidden = true; return; }
    tip.textContent = text;
    tip.hidden = false;
    var box = tip.getBoundingClientRect();
    var x = Math.min(event.clientX + 14, window.innerWidth - box.width - 6);
    var y = event.clientY + 18;
    if (y + box.height > window.innerHeight) { y = event.clientY - box.height - 12; }
    tip.style.left = Math.max(6, x) + "px";
    tip.style.top = y + "px";
  }
  document.addEventListener("pointermove", point);
  document.addEventListener("pointerdown", point);
  document.addEventListener("scroll", function () { tip.hidden = true; }, true);

  // Keys show and hide series within their block.
  function show(block, name, visible) {
    all("[data-series]", block).forEach(function (mark) {
      if (mark.dataset.series === name) { mark.style.display = visible ? "" : "none"; }
    });
  }
  all("button[data-toggle]").forEach(function (key) {
    key.addEventListener("click", function () {
      var visible = key.getAttribute("aria-pressed") !== "true";
      key.setAttribute("aria-pressed", String(visible));
      show(key.closest(".block"), key.dataset.toggle, visible);
    });
  });
  all("button[data-all]").forEach(function (button) {
    button.addEventListener("click", function () {
      var block = button.closest(".block"), visible = button.dataset.all;
      all("button[data-toggle]", block).forEach(function (key) {
        key.setAttribute("aria-pressed", visible);
        show(block, key.dataset.toggle, visible === "true");
      });
    });
  });

  // Tables sort by the value behind a cell, first from large to small where that is a number.
  all("table.sortable").forEach(function (table) {
    all("thead th", table).forEach(function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) { button.appendChild(head.firstChild); }
      head.appendChild(button);
      button.addEventListener("click", function () {
        var body = table.tBodies[0], rows = all("tr", body);
        var value = function (row) { return row.cells[column].dataset.value || ""; };
        var numeric = rows.every(function (row) { return value(row) !== "" && !isNaN(value(row)); });
        var current = head.getAttribute("aria-sort");
        var sign = current ? (current === "ascending" ? -1 : 1) : (numeric ? -1 : 1);
        rows.sort(function (a, b) {
          var x = value(a), y = value(b);
          return sign * (numeric ? x - y : x.localeCompare(y));
        });
        rows.forEach(function (row) { body.appendChild(row); });
        all("thead th", table).forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      });
    });
  });

  // One of several blocks, chosen by a list.
  var pairs = document.getElementById("separate-pair");
  if (pairs) {
    var choose = function () {
      all("#separate .choice").forEach(function (choice) {
        choice.classList.toggle("chosen", choice.dataset.choice === pairs.value);
      });
    };
    pairs.addEventListener("change", choose);
    choose();
  }

  // Other filters in feature space: points are moved, ellipses are drawn again.
  var source = document.getElementById("space-data");
  if (source) {
    var data = JSON.parse(source.textContent), m = data.m, steps = 1000;
    var panel = document.querySelector("#space .panel");
    var frame = panel.dataset.frame.split(" ").map(Number);
    var marks = all(".points > path", panel), ellipses = all("path.ellipse", panel);
    var across = document.getElementById("space-x"), up = document.getElementById("space-y");
    var px = function (v) { return frame[0] + frame[2] * v / steps; };
    var py = function (v) { return frame[1] + frame[3] * (1 - v / steps); };
    var draw = function () {
      var i = Number(across.value), j = Number(up.value);
      marks.forEach(function (mark, row) {
        var at = row * m;
        var dx = px(data.points[at + i]) - px(data.points[at]);
        var dy = py(data.points[at + j]) - py(data.points[at + 1]);
        mark.setAttribute("transform", "translate(" + dx.toFixed(1) + " " + dy.toFixed(1) + ")");
      });
      ellipses.forEach(function (outline, k) {
        var entry = function (a, b) { return data.covariances[k * m * m + a * m + b]; };
        var xx = entry(i, i), xy = entry(i, j), yy = entry(j, j);
        var half = Math.sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy), angle = 0.5 * Math.atan2(2 * xy, xx - yy);
        var long = data.radius * Math.sqrt(Math.max(0, 0.5 * (xx + yy) + half));
        var brief = data.radius * Math.sqrt(Math.max(0, 0.5 * (xx + yy) - half));
        var c = Math.cos(angle), s = Math.sin(angle), path = "";
        for (var n = 0; n < 64; n += 1) {
          var u = long * Math.cos(n * Math.PI / 32), v = brief * Math.sin(n * Math.PI / 32);
          path += (n ? "L" : "M") + px(data.means[k * m + i] + c * u - s * v).toFixed(1) + " " +
            py(data.means[k * m + j] + s * u + c * v).toFixed(1);
        }
        outline.setAttribute("d", path + "Z");
      });
      panel.querySelector(".x-label").textContent = "filter " + (i + 1);
      panel.querySelector(".y-label").textContent = "filter " + (j + 1);
    };
    across.addEventListener("change", draw);
    up.addEventListener("change", draw);
  }
})();
