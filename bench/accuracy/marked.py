"""Pages whose text is written by hand. What stands between `<!-- begin NAME -->` and `<!-- end NAME -->` is made."""
import re


def replace(page, parts):
    """Replaces what stands between the markers of each part; parts: {name: text}."""
    text = page.read_text()
    for name, part in parts.items():
        pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f"{page.name}: expected the marker <!-- begin {name} --> and its end, found none")
        text = pattern.sub(lambda match, part=part: match[1] + "\n" + part + "\n\n" + match[2], text)
    page.write_text(text)
