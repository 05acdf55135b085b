"""Fast bots that always obey the protocol: one shell script each, for a 3×3 board."""

import zipfile
from io import BytesIO

RULESET, SIZE = "square-grid-hex", 3
CELLS = [f"{column}{row}" for row in range(1, SIZE + 1) for column in "abc"]
# Plays the first empty cell of its own list. dash starts in a millisecond, and its printf needs no flushing.
PROGRAM = """
taken=" "
while read -r command colour cell rest; do
    answer=
    case $command in
        protocol_version) answer=2 ;;
        name) answer=quick ;;
        version) answer=@VERSION@ ;;
        list_commands) printf '= protocol_version\\nname\\nversion\\nlist_commands\\nboardsize\\nclear_board\\n'
                       printf 'play\\ngenmove\\nquit\\n\\n'; continue ;;
        clear_board) taken=" " ;;
        play) taken="$taken$cell " ;;
        genmove) @THINK@
                 for answer in @CELLS@; do
                     case $taken in *" $answer "*) ;; *) break ;; esac
                 done
                 taken="$taken$answer " ;;
        quit) printf '=\\n\\n'; exit ;;
    esac
    printf '= %s\\n\\n' "$answer"
done
"""


def quick_bot(number: int, *, version: int = 1, think: float = 0) -> bytes:
    """Return the archive of the bot with this number, which waits for `think` seconds before each turn.

    Each bot has its own order of the cells.
    """
    start = number % len(CELLS)
    ordered = CELLS[start:] + CELLS[:start]
    if number // len(CELLS) % 2:
        ordered.reverse()
    program = PROGRAM.replace("@CELLS@", " ".join(ordered)).replace("@VERSION@", str(version))
    program = program.replace("@THINK@", f"sleep {think}" if think else "")
    manifest = f'name = "quick {number}"\ncommand = ["sh", "main.sh"]\nrulesets = ["{RULESET}"]\n'
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in (("bot.toml", manifest), ("main.sh", program)):
            # A fixed time, so that the same bot always gives the same archive.
            archive.writestr(zipfile.ZipInfo(path, date_time=(2026, 1, 1, 0, 0, 0)), text)
    return packed.getvalue()
