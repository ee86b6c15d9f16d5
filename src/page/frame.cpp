#include "page/frame.hpp"

#include "page/style.hpp"

namespace parlab::page {

void begin_page(Html& html, const std::string& title) {
  html.raw("<!DOCTYPE html>\n")
      .open("html", {{"lang", "en"}})
      .open("head")
      .line_break();
  html.single("meta", {{"charset", "utf-8"}}).line_break();
  html.single("meta", {{"name", "viewport"},
                       {"content", "width=device-width, initial-scale=1"}});
  // Whatever is in the records, nothing is run and nothing is fetched.
  html.single(
      "meta",
      {{"http-equiv", "Content-Security-Policy"},
       {"content",
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:"}});
  html.single("link", {{"rel", "icon"}, {"href", "data:,"}}).line_break();
  html.element("title", title)
      .open("style")
      .raw(style)
      .close()
      .close()
      .line_break();
  html.open("body").open("main").line_break();
}

std::string end_page(Html& html) {
  html.close().close().close().line_break();
  return html.str();
}

void link(Html& html, const std::string& to, const std::string& text) {
  html.element("a", text, {{"href", to}}).raw(" ");
}

}  // namespace parlab::page
