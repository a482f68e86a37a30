"""Pages of the documentation, for Sphinx with MyST (tools/docs.sh).

The source folder is the root of the repository, so that README, CONTRIBUTING and CHANGELOG are pages too and links to
them need no rewriting. A link to a folder leads to the README in it or to a list of its files.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

project = "Saltus"
author = "the authors of Saltus"
version = release = re.search(r"^project\(.*?VERSION\s+([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M | re.S)[1]
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["docs/**.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tests/golden/**.md", "web/*.md"]
myst_heading_anchors = 5
suppress_warnings = ["myst.header"]  # a page may begin its sections at any level
nitpicky = True

html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 3}
html_static_path = html_css_files = ["pages.css"]
html_title = f"Saltus {version}"
html_show_sphinx = html_show_copyright = False
html_copy_source = False
html_show_search_summary = False  # it would ask for pages, which a browser refuses without a server
pygments_style = "tango"

# The bar at the side: parts in the order in which they are read, in each part the pages named, then all others.
PARTS = [
    ("Begin", ["README", "docs/install", "docs/first_steps", "docs/gallery", "docs/conventions"], ""),
    ("Concepts", ["docs/concepts/time_step", "docs/concepts/contact_problem", "docs/concepts/energy_ledger"], "concepts"),
    ("How to", ["docs/howto/choose_scheme_and_step", "docs/howto/python"], "howto"),
    ("Reference", ["docs/reference/scene", "docs/reference/command", "docs/reference/results"], "reference"),
    ("Theory", ["docs/theory/choose", "docs/theory/laws", "docs/theory/contact_solvers", "docs/theory/joints"], "theory"),
    ("Decisions", [], "decisions"),
    ("Project", ["docs/benchmarks", "CONTRIBUTING", "CHANGELOG", "web/README", "web/THIRD_PARTY"], "../tests/golden/*"),
]


def contents():
    lines = []
    for title, first, folder in PARTS:
        files = sorted((ROOT / "docs").resolve().glob(f"{folder}/*.md")) if folder else []
        rest = [f.resolve().relative_to(ROOT).with_suffix("").as_posix() for f in files]
        pages = first + [page for page in rest if page not in first]
        pages = [page for page in pages if (ROOT / f"{page}.md").exists()]
        lines += ["", "```{toctree}", ":hidden:", f":caption: {title}", ":maxdepth: 1", ""]
        lines += [f"/{page}" for page in pages] + ["```"]
    return "\n".join(lines) + "\n"


def on_source(app, page, source):
    if page == root_doc:
        source[0] += contents()


def titles(app, env):
    """The contents of each page, without its sections."""
    app.saltus_titles = {}
    for page, toc in env.tocs.items():
        app.saltus_titles[page] = toc = toc.deepcopy()
        for entry in toc.children:
            del entry[1:]


def on_page(app, page, template, context, doctree):
    """The bar at the side shows sections of the page itself alone; made without those of the others (all pages in 13 s, not 18)."""
    menu = context["toctree"]

    def toctree(**options):
        env = app.env
        whole, env.tocs = env.tocs, {**app.saltus_titles, **{p: env.tocs[p] for p in [page] if p in env.tocs}}
        try:
            return menu(**options)
        finally:
            env.tocs = whole

    context["toctree"] = toctree


def setup(app):
    app.connect("source-read", on_source)
    app.connect("env-check-consistency", titles)
    app.connect("html-page-context", on_page)
