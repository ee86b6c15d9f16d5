#include "page/table.hpp"

#include <algorithm>
#include <cctype>

namespace parlab::page {
namespace {

void write_head(Html& html, const std::vector<std::string>& titles) {
  html.open("thead").open("tr");
  for (const auto& title : titles)
    html.element("th", title, {{"scope", "col"}});
  html.close().close().line_break();
}

bool is_number(const std::string& text) {
  return !text.empty() &&
         (std::isdigit(static_cast<unsigned char>(text[0])) || text == "-" ||
          (text[0] == '-' && text.size() > 1 && std::isdigit(text[1])));
}

struct Cards {
  std::vector<std::string> titles;
  std::vector<Row> rows;
};

Cards without_empty_columns(const std::vector<std::string>& titles,
                            const std::vector<Row>& rows) {
  // The last cell of a shorter row goes over several columns, from its own on.
  const auto is_of_one = [&](const Row& row, std::size_t column) {
    return column + 1 < row.size() || row.size() == titles.size();
  };
  std::vector<bool> kept;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    kept.push_back(
        i == 0 || std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
          return i < row.size() && !(is_of_one(row, i) && says_nothing(row[i]));
        }));
  }
  Cards cards;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    if (kept[i]) cards.titles.push_back(titles[i]);
  }
  for (const auto& row : rows) {
    auto& left = cards.rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (kept.at(i)) left.push_back(row[i]);
    }
  }
  return cards;
}

}  // namespace

bool says_nothing(const Cell& cell) {
  return cell.note.empty() &&
         (cell.text == "–" || cell.text.starts_with("not measured"));
}

void write_cards(Html& html,
                 const std::vector<std::string>& all_titles,
                 const std::vector<Row>& all_rows) {
  const auto [titles, rows] = without_empty_columns(all_titles, all_rows);
  html.open("div", {{"class", "scroll"}})
      .open("table", {{"class", "cards"}})
      .line_break();
  write_head(html, titles);
  html.open("tbody");
  for (const auto& row : rows) {
    const bool group = row.size() == 1 && all_titles.size() > 1;
    html.line_break().open("tr", group ? Html::Attributes{{"class", "group"}}
                                       : Html::Attributes{});
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto& cell = row[i];
      Html::Attributes attributes;
      if (!group) attributes.push_back({"data-label", titles.at(i)});
      if (cell.text == "–") attributes.push_back({"class", "none"});
      const auto rest = titles.size() - i;
      if (i + 1 == row.size() && rest > 1)
        attributes.push_back({"colspan", std::to_string(rest)});
      html.open(group ? "th" : "td", attributes);
      html.open("div", cell.id.empty() ? Html::Attributes{}
                                       : Html::Attributes{{"id", cell.id}});
      if (cell.link.empty()) {
        html.text(cell.text);
      } else {
        html.element("a", cell.text, {{"href", cell.link}});
      }
      if (!cell.note.empty()) html.raw(" ").element("small", cell.note);
      html.close().close();
    }
    html.close();
  }
  html.close().close().close().line_break();
}

void write_numbers(Html& html,
                   const std::vector<std::string>& titles,
                   const std::vector<std::vector<std::string>>& rows) {
  // A column is one of numbers when most of its cells are.
  std::vector<bool> right;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const auto count = std::count_if(
        rows.begin(), rows.end(),
        [&](const auto& row) { return i < row.size() && is_number(row[i]); });
    right.push_back(2 * static_cast<std::size_t>(count) > rows.size());
  }
  const auto style = [&](std::size_t i) {
    return right[i] ? Html::Attributes{{"class", "number"}}
                    : Html::Attributes{};
  };
  html.open("div", {{"class", "scroll"}, {"tabindex", "0"}})
      .open("table")
      .open("thead")
      .open("tr");
  for (std::size_t i = 0; i < titles.size(); ++i)
    html.element("th", titles[i], style(i));
  html.close().close().open("tbody");
  for (const auto& row : rows) {
    html.line_break().open("tr");
    for (std::size_t i = 0; i < titles.size(); ++i) {
      html.element("td", i < row.size() ? row[i] : "", style(i));
    }
    html.close();
  }
  html.close().close().close().line_break();
}

}  // namespace parlab::page
