#include "render/html.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/text.hpp"
#include "render/markup.hpp"
#include "render/svg.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

using Attributes = Html::Attributes;

std::string plain(const Text& text) {
  return words(text, Letters::unicode);
}

Attributes fold(bool open, bool printed, const std::string& id = {}) {
  Attributes attributes;
  if (!id.empty()) attributes.push_back({"id", id});
  if (open) attributes.push_back({"open", ""});
  if (printed) attributes.push_back({"class", "printed"});
  return attributes;
}

bool is_none(const Cell& cell) {
  return cell.text.empty() && cell.note.empty();
}

// Whether the cell is empty or only says that nothing was measured.
bool says_nothing(const Cell& cell) {
  if (is_none(cell)) return true;
  if (!cell.note.empty() || cell.text.pieces.size() != 1) return false;
  const auto* detail = std::get_if<Detail>(&cell.text.pieces[0]);
  return detail != nullptr && (detail->cause == Cause::not_measured ||
                               detail->cause == Cause::not_measured_on_both);
}

// False for the last cell of a shorter row, which spans several columns.
bool is_of_one(const Table& table, const Row& row, std::size_t column) {
  return column + 1 < row.cells.size() ||
         row.cells.size() == table.columns.size();
}

// Leaves out columns in which no cell says anything, except the first.
Table without_empty_columns(const Table& table) {
  Table left = table;
  for (std::size_t i = table.columns.size(); i-- > 1;) {
    const bool said = std::ranges::any_of(table.rows, [&](const Row& row) {
      return i < row.cells.size() &&
             !(is_of_one(table, row, i) && says_nothing(row.cells[i]));
    });
    if (said) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    left.columns.erase(left.columns.begin() + at);
    for (auto& row : left.rows) {
      if (i < row.cells.size()) row.cells.erase(row.cells.begin() + at);
    }
  }
  return left;
}

bool is_number(const Cell& cell) {
  if (cell.text.empty()) return false;
  const auto& first = cell.text.pieces[0];
  return std::holds_alternative<std::int64_t>(first) ||
         std::holds_alternative<Quantity>(first) ||
         std::holds_alternative<Range>(first);
}

class Page {
 public:
  std::string str() const { return html_.str(); }

  void write(const Document& document) {
    begin(document.title);
    const auto first =
        std::ranges::find_if(document.blocks, [](const Block& block) {
          const auto* section = std::get_if<Section>(&block);
          return section != nullptr && !section->label.empty();
        });
    write_all({document.blocks.begin(), first}, 1);
    write_links(document);
    write_all({first, document.blocks.end()}, 1);
    html_.close();
    html_.open("script").raw(page_script).close();
    html_.close().close().line_break();
  }

 private:
  void begin(const std::string& title) {
    html_.raw("<!DOCTYPE html>\n")
        .open("html", {{"lang", "en"}})
        .open("head")
        .line_break();
    html_.single("meta", {{"charset", "utf-8"}}).line_break();
    html_.single("meta", {{"name", "viewport"},
                          {"content", "width=device-width, initial-scale=1"}});
    // The page neither runs nor fetches anything that the records contain.
    html_.single(
        "meta",
        {{"http-equiv", "Content-Security-Policy"},
         {"content",
          "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
          "script-src 'sha256-" +
              std::string(page_script_hash) + "'"}});
    html_.single("link", {{"rel", "icon"}, {"href", "data:,"}}).line_break();
    html_.element("title", title + ": parlab")
        .open("style")
        .raw(page_style)
        .close()
        .close()
        .line_break();
    html_.open("body").open("main").line_break();
    html_.element("h1", title).line_break();
  }

  void write_links(const Document& document) {
    std::vector<Link> links;
    for (const auto& block : document.blocks) {
      const auto* section = std::get_if<Section>(&block);
      if (section != nullptr && !section->label.empty())
        links.push_back({section->label, "#" + section->id});
    }
    links.insert(links.end(), document.elsewhere.begin(),
                 document.elsewhere.end());
    if (links.empty()) return;
    html_.open("nav", {{"id", "contents"}});
    for (const auto& link : links) {
      write(Text(link));
      html_.raw(" ");
    }
    html_.close().line_break();
  }

  void write_all(const std::vector<Block>& blocks, int depth) {
    const auto drawn = [](const Block& block) {
      return std::holds_alternative<Chart>(block) ||
             std::holds_alternative<Picture>(block);
    };
    for (auto block = blocks.begin(); block != blocks.end();) {
      // Several are placed side by side.
      const auto end = std::find_if_not(block, blocks.end(), drawn);
      const bool several = end - block > 1;
      if (several) html_.open("div", {{"class", "figures"}});
      do
        std::visit([&](const auto& one) { write(one, depth); }, *block++);
      while (block < end);
      if (several) html_.close().line_break();
    }
  }

  void write(const Text& text) {
    for (const auto& piece : text.pieces) {
      if (const auto* link = std::get_if<Link>(&piece)) {
        Attributes attributes{{"href", link->target}};
        if (!link->hint.empty()) attributes.push_back({"title", link->hint});
        html_.open("a", attributes).words(link->text).close();
      } else if (const auto* strong = std::get_if<Strong>(&piece)) {
        html_.open("b").words(strong->text).close();
      } else {
        Text one;
        one.pieces = {piece};
        html_.words(plain(one));
      }
    }
  }

  // content: a text or a cell
  template <typename T>
  void write(const std::string& tag, const T& content,
             const Attributes& attributes = {}) {
    html_.open(tag, attributes);
    write(content);
    html_.close();
  }

  void write(const Cell& cell) {
    write(cell.text);
    if (cell.note.empty()) return;
    html_.raw(" ");
    write("small", cell.note);
  }

  void write(const Paragraph& paragraph, int) {
    if (paragraph.text.empty()) return;
    write(paragraph.verbatim ? "pre" : "p", paragraph.text,
          paragraph.small ? Attributes{{"class", "note"}} : Attributes{});
    html_.line_break();
  }

  void write(const List& list, int) {
    html_.open("ul");
    for (const auto& item : list.items)
      write("li", item);
    html_.close().line_break();
  }

  void write(const Section& section, int depth) {
    const std::string level = "h" + std::to_string(depth + 1);
    if (section.folded) {
      html_.open("details", fold(false, section.printed, section.id));
      write("summary", section.title);
    } else {
      html_.open(
          depth == 1 ? "section" : "div",
          section.id.empty() ? Attributes{} : Attributes{{"id", section.id}});
      if (!section.title.empty()) {
        auto title = section.title;
        // A section that the contents link to links back to them.
        if (depth == 1 && !section.label.empty())
          title += " " + Text(Link{"↑", "#contents", "back to the contents"});
        write(level, title);
      }
    }
    html_.line_break();
    write_all(section.blocks, depth + 1);
    html_.close().line_break();
  }

  // ---- tables ---------------------------------------------------------------

  void write(const Table& table, int) {
    if (table.rows.empty()) return;
    if (!table.title.empty()) {
      html_.open("details", fold(!table.folded, table.printed));
      html_.open("summary");
      write(table.title);
      if (table.numbers) {
        html_.raw(" ").element("small",
                               std::to_string(table.rows.size()) + " rows");
      }
      html_.close();
    }
    const bool untitled = std::ranges::all_of(
        table.columns,
        [](const Column& column) { return column.title.empty(); });
    if (untitled) {
      write_facts(table);
    } else if (table.numbers) {
      write_numbers(with_alike_rates(table));
    } else {
      write_cards(with_alike_rates(without_empty_columns(table)));
    }
    if (!table.title.empty()) html_.close();
    html_.line_break();
  }

  // A list of names and their values.
  void write_facts(const Table& table) {
    html_.open("dl").line_break();
    for (const auto& row : table.rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        write(i == 0 ? "dt" : "dd", row.cells[i]);
      html_.line_break();
    }
    html_.close();
  }

  // On a narrow screen each row becomes a card, whose cells are labelled with
  // the titles of their columns. Empty cells are left out.
  void write_cards(const Table& table) {
    html_.open("div", {{"class", "scroll"}})
        .open("table", {{"class", "cards"}})
        .line_break();
    html_.open("thead").open("tr");
    for (const auto& column : table.columns)
      html_.element("th", column.title, {{"scope", "col"}});
    html_.close().close().line_break().open("tbody");
    for (const auto& row : table.rows) {
      html_.line_break().open(
          "tr", row.heading ? Attributes{{"class", "group"}} : Attributes{});
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const auto& cell = row.cells[i];
        Attributes attributes;
        if (!row.heading)
          attributes.push_back({"data-label", table.columns.at(i).title});
        if (is_none(cell)) attributes.push_back({"class", "none"});
        const auto rest = table.columns.size() - i;
        if (i + 1 == row.cells.size() && rest > 1)
          attributes.push_back({"colspan", std::to_string(rest)});
        html_.open(row.heading ? "th" : "td", attributes);
        html_.open("div", cell.id.empty() ? Attributes{}
                                          : Attributes{{"id", cell.id}});
        if (is_none(cell)) {
          html_.text("–");
        } else {
          write(cell);
        }
        html_.close().close();
      }
      html_.close();
    }
    html_.close().close().close();
  }

  // Scrolls within its own box on a narrow screen. Numbers are right-aligned.
  void write_numbers(const Table& table) {
    std::vector<Attributes> of_column;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const auto numbers =
          std::ranges::count_if(table.rows, [&](const Row& row) {
            return i < row.cells.size() && is_number(row.cells[i]);
          });
      const bool right =
          table.columns[i].right ||
          2 * static_cast<std::size_t>(numbers) > table.rows.size();
      of_column.push_back(right ? Attributes{{"class", "number"}}
                                : Attributes{});
    }
    html_.open("div", {{"class", "scroll"}, {"tabindex", "0"}})
        .open("table")
        .open("thead")
        .open("tr");
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      html_.element("th", table.columns[i].title, of_column[i]);
    html_.close().close().open("tbody");
    for (const auto& row : table.rows) {
      html_.line_break().open("tr");
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        write("td", row.cells[i], of_column.at(i));
      html_.close();
    }
    html_.close().close().close();
  }

  // ---- ladders --------------------------------------------------------------

  // Filled and framed bars differ even without colour.
  void write(const Ladder& ladder, int) {
    html_.open("ol", {{"class", "ladder"}}).line_break();
    for (const auto& rung : ladder.rungs) {
      html_.open("li");
      write("b", rung.name, {{"class", "name"}});
      write_bar(rung);
      write(
          "span",
          rung.share > 0 ? Text(Quantity{rung.share, Unit::fraction}) : Text(),
          {{"class", "share"}});
      write("span", rung.time, {{"class", "time"}});
      write("span", rung.gain, {{"class", "gain"}});
      for (const auto* text : {&rung.idea, &rung.counts})
        if (!text->empty()) write("small", *text, {{"class", "idea"}});
      html_.close().line_break();
    }
    html_.close().line_break();
  }

  void write_bar(const Rung& rung) {
    html_.open("svg", {{"viewBox", "0 0 100 6"},
                       {"preserveAspectRatio", "none"},
                       {"aria-hidden", "true"}});
    html_.single("rect",
                 {{"class", "track"}, {"width", "100"}, {"height", "6"}});
    html_.single("rect",
                 {{"class", rung.framed ? "framed" : "filled"},
                  {"width", significant(100 * std::min(rung.share, 1.0), 4)},
                  {"height", "6"}});
    html_.close();
  }

  void write(const Headlines& headlines, int) {
    html_.open("ul", {{"class", "headlines"}}).line_break();
    for (const auto& [number, says, target] : headlines.all) {
      html_.open("li").open("a", {{"href", target}});
      write("b", number);
      html_.raw(" ");
      write("span", says);
      html_.close().close().line_break();
    }
    html_.close().line_break();
  }

  void write(const LinkCell& cell) {
    html_.open(
        "a",
        {{"class", cell.kind}, {"href", cell.target}, {"title", cell.hint}});
    html_.text(cell.sign).text(cell.text).close().raw(" ");
  }

  void write_list(const LinkGrid& grid) {
    html_.open("div", {{"class", "said"}}).element("h3", grid.title);
    html_.open("ul").line_break();
    for (const auto& row : grid.rows) {
      for (const auto& cell : row.cells) {
        html_.open("li", {{"id", cell.id}});
        write(cell);
        write("div", cell.says);
        html_.close().line_break();
      }
    }
    html_.close().close().line_break();
  }

  void write(const LinkGrid& grid, int) {
    if (grid.list) return write_list(grid);
    html_.open("div", {{"class", "scroll"}, {"tabindex", "0"}})
        .open("table", {{"class", "grid"}})
        .line_break();
    html_.element("caption", grid.title);
    for (const auto& row : grid.rows) {
      html_.open("tr");
      if (!row.name.empty()) html_.element("th", row.name, {{"scope", "row"}});
      html_.open("td");
      for (const auto& cell : row.cells)
        write(cell);
      html_.close().close().line_break();
    }
    html_.close().close().line_break();
  }

  // Without a script, the alternative that a link leads to is shown.
  void write(const Alternatives& choice, int depth) {
    html_.open("div", {{"class", "choice"}}).line_break();
    if (choice.sections.size() > 1) {
      html_.open("p").text(choice.what + ": ");
      for (const auto& section : choice.sections) {
        html_.element("a", section.label, {{"href", "#" + section.id}});
        html_.raw(" ");
      }
      html_.close().line_break();
      html_.open("style").raw(style_of_choice(choice.sections.size())).close();
    }
    for (const auto& section : choice.sections)
      write(section, depth + 1);
    html_.close().line_break();
  }

  // ---- figures --------------------------------------------------------------

  void write(const Chart& chart, int) {
    if (const auto svg = draw(chart); !svg.empty())
      write_figure(chart.id, svg, chart.caption);
  }

  // The other one is shown on a narrow screen.
  void write(const Strip& strip, int) {
    const auto svg =
        draw(strip, StripForm::wide) + draw(strip, StripForm::narrow);
    if (svg.empty()) return;
    if (!strip.leads.empty()) write(remark(strip.leads), 0);
    write_figure(strip.id, svg, strip.caption);
  }

  void write(const Picture& picture, int) {
    std::ifstream in(picture.path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    write_figure(picture.id, inline_svg(text, picture.id + "-", picture.title),
                 picture.caption, picture.path);
  }

  void write_figure(const std::string& id, const std::string& svg,
                    const Text& caption,
                    const std::filesystem::path& file = {}) {
    html_.open("figure", {{"id", id}});
    if (svg.empty()) {
      html_.element("p", "Not shown: " + file.filename().string() +
                             " is not a plain picture. Delete it and run make "
                             "figures.");
    } else {
      html_.open("div", {{"class", "scroll"}, {"tabindex", "0"}})
          .raw(svg)
          .close();
    }
    write("figcaption", caption);
    html_.close().line_break();
  }

  Html html_;
};

}  // namespace

std::string html(const Document& document) {
  Page page;
  page.write(document);
  return page.str();
}

}  // namespace parlab
