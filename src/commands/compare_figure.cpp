#include "commands/compare_figure.hpp"

#include <stdexcept>

#include "commands/figure_tables.hpp"
#include "core/file.hpp"
#include "core/numbers.hpp"
#include "core/process.hpp"
#include "core/standard.hpp"
#include "record/published.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

void add_points(Database& database, const Comparison& comparison,
                const std::array<std::string, 2>& sides) {
  Database::Table table(database, "records",
                        {{"workload", true},
                         {"backend", true},
                         {"variant", true},
                         {"size", true},
                         {"dtype", true},
                         {"cache", true},
                         {"inputs", true},
                         {"tunables", true},
                         {"change", true},
                         {"before", true},
                         {"after", true},
                         {"bytes", false},
                         {"after_s", false},
                         {"ratio", false},
                         {"ratio_low", false},
                         {"ratio_high", false}});
  for (const auto& point : comparison.points) {
    const Record& r = point.after.last;
    const auto& [ratio, ends] = point.test.ratio;
    std::vector<std::string> cells{r.workload,
                                   r.backend,
                                   r.variant,
                                   to_string(r.size),
                                   std::string(to_string(r.dtype)),
                                   std::string(to_string(r.cache)),
                                   std::string(to_string(r.inputs)),
                                   to_string(r.tunables),
                                   std::string(to_string(point.change)),
                                   sides[0],
                                   sides[1]};
    if (point.tested) {
      for (const double value :
           {r.bytes, point.after.median(), ratio, ends.low, ends.high})
        cells.push_back(significant(value, 9, 9));
    }
    table.add(cells);
  }
}

}  // namespace

void draw_ratios(const Comparison& comparison,
                 const std::array<std::string, 2>& sides,
                 const fs::path& picture) {
  const auto form = picture.extension();
  if (form != ".svg" && form != ".png")
    throw UsageError("--plot: '" + picture.string() +
                     "' is no picture: FILE.svg or FILE.png");
  const auto out = fs::absolute(picture).replace_extension();
  const Temporary data(out.string() + ".db");
  write_beside(data.path(), [&](const fs::path& part) {
    Database database(part.string(), Database::Access::create);
    add_points(database, comparison, sides);
    add_names(database);
  });
  const auto tree = fs::absolute(published_folder()) / "../..";
  const auto drawn = output_of(
      {"/bin/bash", "-pc", "cd \"$1\" && exec scripts/figure.sh \"${@:2}\"",
       "bash", tree.string(), data.path().string(),
       "scripts/figures/compare.gp", out.string()},
      {{"PARLAB", this_program().string()},
       {"FORMATS", form.string().substr(1)}});
  if (!drawn.succeeded || !fs::exists(picture))
    throw std::runtime_error("--plot: no picture: " + drawn.text);
}

}  // namespace parlab
