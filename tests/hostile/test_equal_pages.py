"""Pages of two processes: the same content gives the same bytes, so one ETag."""

from pathlib import Path

from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import run_cli

BUILDS = 4
TEXT = "- [ ] one\n- [x] two\n\n<input id='a1' checked> <input>\n\n<pre>x</pre>\n" * 10


def test_every_process_writes_the_same_page(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """Behind a load balancer, a browser would load an equal page again."""
    knowledge.write("concepts/tasks", body=TEXT)
    seen = set()
    for number in range(BUILDS):
        site = tmp_path / f"site{number}"
        done = run_cli(
            *("build", site, knowledge.root),
            scanner=scanner,
            env={"PYTHONHASHSEED": str(number)},
        )
        assert done.code == 0, done.err
        pages = [path.read_bytes() for path in site.rglob("*.html")]
        (page,) = (page for page in pages if page.count(b' type="checkbox"') >= 20)
        seen.add(page)
    assert len(seen) == 1
