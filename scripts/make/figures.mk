# Figures, tables and pages, from the records of every machine.
#
# results/MACHINE/EXPERIMENT.jsonl -> build/records/MACHINE/EXPERIMENT.db
#   -> plots/MACHINE/EXPERIMENT-*
R        := build/records
# Pictures: `svg` alone takes half the time.
FORMATS  ?= svg png
# Only names without special characters; `make figures` names the others.
RECORDS  := $(shell scripts/list-records.sh --silent)
RECORDED := $(filter $(foreach e,$(EXPERIMENTS) $(WORKLOADS),%/$e),$(RECORDS:results/%.jsonl=%))
# The folder that draws an experiment: its own, or the common one (make
# measure).
folder_of = scripts/$(if $(wildcard scripts/$(notdir $1)/steps.sh),$(notdir $1),workload)
# An experiment may have no tables, as it may have no figures.
tables_of = $(wildcard $(folder_of)/tables.sql)
# A file of records is packed, plain, or both (parlab pack), under one name.
parts_of  = $(wildcard $(foreach r,$1,$r $r.zst))
DATABASE_SOURCES := $(wildcard src/audit/* src/record/* src/statistics/* src/commands/database.cpp src/commands/sqlite.* src/commands/query.cpp results/published/*.csv)
STYLE    := scripts/figures/style.gp scripts/figure.sh $(wildcard scripts/figures/*.gp)

# figures_of MACHINE/EXPERIMENT: its database, one rule per figure, one for the
# tables. A figure is written beside the old one and renamed: after an error the
# old one stays, and make must not delete it. Both programs can make and read
# the database; the emulated one needs no CUDA compiler.
DRAW := PARLAB=$(BIN)/parlab-emulated FORMATS="$(FORMATS)"
define figures_of
$(R)/$1.db: $(call parts_of,results/$1.jsonl) $(call folder_of,$1)/views.sql $(DATABASE_SOURCES) | $(BIN)/parlab-emulated
	@mkdir -p $$(@D) && $(BIN)/parlab-emulated database results/$1.jsonl $$@ --views $(call folder_of,$1)/views.sql
$(foreach f,$(if $(GNUPLOT),$(patsubst $(call folder_of,$1)/%.gp,%,$(wildcard $(call folder_of,$1)/*.gp))),
figures: plots/$1-$f.svg
.PRECIOUS: plots/$1-$f.svg plots/$1-$f.png
plots/$1-$f.svg: $(call folder_of,$1)/$f.gp $(R)/$1.db $(STYLE) $(wildcard $(call folder_of,$1)/*.inc)
	@$(DRAW) scripts/figure.sh $(R)/$1.db $$< plots/$1-$f
plots/$1-$f.png: $(call folder_of,$1)/$f.gp | plots/$1-$f.svg
	@[ -e $$@ ] || $(DRAW) scripts/figure.sh $(R)/$1.db $$< plots/$1-$f
)
$(if $(call tables_of,$1),figures: plots/$1-tables.txt)
.PRECIOUS: plots/$1-tables.txt
plots/$1-tables.txt: $(call folder_of,$1)/tables.sql $(R)/$1.db
	@mkdir -p $$(@D) && { $(BIN)/parlab-emulated tables $(R)/$1.db $$< >$$@.part && mv $$@.part $$@ || { rm -f $$@.part; exit 1; }; }
endef
$(if $(SQLITE),$(foreach r,$(RECORDED),$(eval $(call figures_of,$r))))

figures: say-what-is-left-out
say-what-is-left-out:
	@scripts/list-records.sh >/dev/null
	@$(if $(SQLITE),,echo "figures and tables are left out: install libsqlite3-dev (scripts/install.sh figures)")
	@$(if $(GNUPLOT),,echo "figures are left out: install gnuplot (scripts/install.sh figures)")

# plots/MACHINE/index.html, from the records, once the figures are drawn. A
# skipped figure is no file, so the page depends on the sources of figures.
PAGE_SOURCES := $(wildcard src/page/* src/render/* src/claims/* src/commands/page.* src/workloads/* results/published/*.csv results/counts.jsonl.zst \
                           serial/*/* openmp/*/* blas/*/* cuda/*/* scripts/*/*)
drawn = $(foreach r,$(filter $1/%,$(RECORDED)),$(if $(call tables_of,$r),plots/$r-tables.txt) $(if $(GNUPLOT),$(patsubst \
          $(call folder_of,$r)/%.gp,plots/$r-%.svg,$(wildcard $(call folder_of,$r)/*.gp))))
# All figures of one machine and the index, for who has measured there; others
# may be out of date.
figures-of-%: say-what-is-left-out
	@:
define page_of
figures: plots/$1/index.html
.PHONY: figures-of-$1
figures-of-$1: say-what-is-left-out $(if $(SQLITE),$(call drawn,$1)) plots/$1/index.html plots/index.html
plots/$1/index.html: $(call parts_of,$(filter results/$1/%,$(RECORDS))) $(PAGE_SOURCES) | $(if $(SQLITE),$(call drawn,$1)) $(BIN)/parlab-emulated
	@$(BIN)/parlab-emulated page results/$1 --figures plots/$1 --databases $(R)/$1 --output $$@ && echo "  wrote $$@"
endef
# The index is made again when a machine comes or goes.
$(call store,$(B)/pages.list,$(sort $(dir $(RECORDS))))
PAGED := $(sort $(patsubst %/,%,$(dir $(RECORDED))))
$(foreach m,$(PAGED),$(eval $(call page_of,$m)))

figures: $(if $(PAGED),plots/index.html)
plots/index.html: $(call parts_of,$(filter $(PAGED:%=results/%/%),$(RECORDS))) $(PAGE_SOURCES) $(B)/pages.list | $(BIN)/parlab-emulated
	@$(BIN)/parlab-emulated index $(PAGED:%=results/%) --output $@ && echo "  wrote $@"
