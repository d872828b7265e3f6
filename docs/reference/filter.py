#!/usr/bin/env python3
"""What Doxygen reads in place of a header: docs/reference/filter.py HEADER.

The comment that a header begins with is about the file, which Doxygen has to be told; the words with which our comments name what
the caller must see to, and what is ordered, become headings; what the language itself says (copies and moves that there are, or
are not, and destructors) needs no entry; and names that are declared together are declared one by one.
"""

import re
import sys
from pathlib import Path


# Members that mean the same wherever they stand, and so have no comment of their own.
everywhere = [
    (r" +(?:\w+& operator=|(\w+))\(\w+&& other\) noexcept", "Takes it over; the other is empty afterwards."),
    (r" +(?:\[\[nodiscard\]\] )?(?:static )?(?:constexpr )?\w[\w:<>&, ]* (?:put|kept|settings)\(", "For the algorithms."),
    (r" +auto run\(", "A future of `f()`, begun as this executor does."),
    (r"inline constexpr bool is_executor_v<", "It is one."),
    (r" +static constexpr (?:kind how|bool is_async|bool is_parallel) =", "For the algorithms."),
    (r" +constexpr policy\(", "For `with` and `on`."),
    (r" +\[\[nodiscard\]\] const char\* what\(\) const noexcept override", "What happened."),
]


def with_entries(text):
    lines = text.splitlines()
    for i in reversed(range(1, len(lines))):
        for pattern, entry in everywhere:
            if re.match(pattern, lines[i]):
                at = i - 1 if lines[i - 1].strip().startswith("template") else i
                if not lines[at - 1].strip().startswith("///"):
                    lines[at] = f"/** {entry} */ {lines[at]}"  # on the same line, so that the lines keep their numbers
    return "\n".join(lines)


DECLARED = re.compile(r"( *)((?:inline |static )*(?:constexpr )?[\w:<>]+) "
                      r"(\w+(?: = [\w:]+|\{\}),(?: \w+(?: = [\w:]+|\{\}),?)+);(?: *///< (.*))?")


def with_one_name_each(text):
    """Doxygen gives a comment to the first name of `int x = 1, y = 1;` alone; so each name gets a declaration of its own."""
    lines, comment = text.splitlines(), []
    for i, line in enumerate(lines):
        declared = DECLARED.fullmatch(line)
        if declared and (declared[4] or comment):
            indent, kind, names, behind = declared.groups()
            words = behind or " ".join(comment)
            each = [f"{kind} {name};" for name in names.split(", ")]
            first = f"/** {words} */ {each[0]}" if behind else each[0]
            lines[i] = indent + " ".join([first, *(f"/** {words} */ {one}" for one in each[1:])])
        is_comment = line.strip().startswith("/// ")
        comment = [*comment, line.strip()[4:]] if is_comment else []
    return "\n".join(lines)


def main(path):
    lines = Path(path).read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("//"))
    lines[first] = "/// \\file\n" + lines[first]
    text = "\n".join(lines)
    text = re.sub(r"/// Requires: ", r"/// \\pre ", text)
    text = re.sub(r"/// Memory ordering: ", r"/// \\par Memory ordering\n/// ", text)
    text = re.sub(r"^ +(?:constexpr |explicit )*(?:(?:\w+& )?operator=|~?\w+)\([^()]*\)(?: const)?(?: noexcept)? = "
                  r"(?:default|delete);.*$", "", text, flags=re.M)
    # The inline namespace that says in whose words senders speak is none that a user writes.
    text = re.sub(r"^inline namespace AMITY_SENDERS_ABI \{$|^\}  // namespace AMITY_SENDERS_ABI$", "", text, flags=re.M)
    print(with_entries(with_one_name_each(text)))


if __name__ == "__main__":
    main(sys.argv[1])
