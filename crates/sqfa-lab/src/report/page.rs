//! The HTML page around the sections: head, style, navigation and script.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The content security policy. Nothing may be loaded, because images, styles and scripts are
/// inline.
const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Returns a whole page.
pub(super) fn page(title: &str, body: Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                // An empty icon, so that browsers do not request one.
                link rel="icon" href="data:,";
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                header {
                    h1 { (title) }
                    nav #contents aria-label="Sections" {}
                }
                main { (body) }
                div #tip role="status" hidden {}
                script { (PreEscaped(include_str!("page.js"))) }
            }
        }
    }
    .into_string()
}

/// Returns a section with a heading that the navigation lists.
pub(super) fn section(id: &str, heading: &str, lead: &str, body: Markup) -> Markup {
    html! {
        section id=(id) data-nav=(heading) {
            h2 { (heading) }
            @if !lead.is_empty() { p.lead { (lead) } }
            (body)
        }
    }
}

/// Returns data for the script as JSON that cannot end its element.
pub(super) fn data(id: &str, value: &serde_json::Value) -> Markup {
    html! { script type="application/json" id=(id) { (PreEscaped(inline_json(value))) } }
}

/// Returns JSON in which no character can end a script element or begin a comment.
fn inline_json(value: &serde_json::Value) -> String {
    value
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_cannot_end_its_script_and_still_says_the_same() {
        let hostile = serde_json::json!(["</script><!--<script>", "a&b", "\u{2028}"]);
        let text = inline_json(&hostile);
        assert!(!text.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), hostile);
    }

    #[test]
    fn titles_are_text() {
        let page = page("<b>x</b>", html! {});
        assert!(!page.contains("<b>x") && page.contains("&lt;b&gt;x"));
    }
}
