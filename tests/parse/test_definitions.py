"""What files of programs define, by the look of their lines."""

from __future__ import annotations

import pytest

from devlog.features.source_references.parse.definitions import ENDINGS, MOST, definitions, ending

CASES = {
    "a.py": (
        """\
import x
LIMIT: int = 3
async def run(a):
    class Inner(X):
        def size(self): pass
x == 3
run(x=1)
    local = 2
name=2
""",
        "LIMIT:2 run:3 Inner:4 size:5 name:9",
    ),
    "a.cpp": (
        """\
#define MAX(x) 1
#  define LOW 2
class Told;
class LUMEN_API Cache : public Base {
struct Plain
{
};
enum class Kind { a };
using Table = int;
static inline int lookup(int a,
    int b) {
int Cache::size(int a) const {
int only_told(int a);
return lookup(1) {
void empty() {}
template <typename T>
T* lumen::make(T x) {
namespace lumen {
typedef struct Pair {
  struct Cache *c;
  call(a);
int one() { return 1; }
""",
        "MAX:1 LOW:2 Cache:4 Plain:5 Kind:8 Table:9 lookup:10 size:12 empty:15 make:17 Pair:19 one:22",
    ),
    "a.rs": (
        """\
pub(crate) async fn go(x: i32) {
struct A;
    pub const LIMIT: u32 = 3;
macro_rules! check {
static mut COUNT: i32 = 1;
impl A {
    const fn small() {}
unsafe extern "C" fn raw() {
let x = fnord;
""",
        "go:1 A:2 LIMIT:3 check:4 COUNT:5 small:7 raw:8",
    ),
    "a.go": (
        """\
package x
func (s *Server) Run(a int) error {
type Table struct {
var Err = 1
func Main() {
\tvar a = 1
""",
        "Run:2 Table:3 Err:4 Main:5",
    ),
    "a.ts": (
        """\
export default async function load() {}
export class Cache {
interface Entry {}
const limit = 1;
export type Key = string;
function* walk() {}
export const enum Kind {}
classic = 3
functional()
""",
        "load:1 Cache:2 Entry:3 limit:4 Key:5 walk:6 Kind:7",
    ),
    "A.java": (
        """\
public final class Cache {
  private static int lookup(int a) {
    return other(x);
  }
""",
        "Cache:1 lookup:2",
    ),
    "a.zig": (
        """\
pub fn main() void {
const std = @import();
""",
        "main:1 std:2",
    ),
    "a.rb": (
        """\
class Cache
  def lookup
  end
module Lumen
""",
        "Cache:1 lookup:2 Lumen:4",
    ),
    "a.sh": (
        """\
build() {
function check() {
LIMIT=1
  build
""",
        "build:1 check:2 LIMIT:3",
    ),
    "a.td": (
        """\
def ADD : I<>;
multiclass M {
""",
        "ADD:1 M:2",
    ),
    "a.cmake": (
        """\
function(add_cache name)
""",
        "add_cache:1",
    ),
    "a.proto": (
        """\
message Entry {
  rpc Lookup(A) returns (B);
""",
        "Entry:1 Lookup:2",
    ),
    "a.txt": (
        """\
def x
""",
        "",
    ),
    "Makefile": (
        """\
def x
""",
        "",
    ),
    "a.crlf.py": (
        "a = 1\r\ndef run():\r\n    pass\r\n",
        "a:1 run:2",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_definitions(name: str) -> None:
    text, expected = CASES[name]
    assert " ".join(f"{found}:{line}" for found, line in definitions(name, text.encode())) == expected


def test_endings() -> None:
    assert ending("src/a.B.PY") == "py"
    assert ending("src.d/Makefile") == ""
    assert "py" in ENDINGS


def test_what_no_person_wrote() -> None:
    assert [*definitions("a.py", b"\0def run(): pass\n")] == []
    assert len([*definitions("a.py", b"a = 1\n" * (MOST + 5))]) == MOST
    assert [*definitions("a.py", b"def " + b"x" * 1000 + b"(): pass\n")] == []
    assert [*definitions("a.py", "def größe(): pass\n".encode())] == [("größe", 1)]


@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize("ending", sorted(ENDINGS))
@pytest.mark.parametrize(
    "line",
    ["a " * 50_000, " " * 100_000, "a::" * 30_000, "(" * 100_000, "pub " * 25_000, "static " * 15_000, "a*" * 50_000],
)
def test_lines_without_end_are_read_once(ending: str, line: str) -> None:
    """What is quadratic takes minutes for such lines, so the test would be killed."""
    for text in (line, f"class {line}", f"#define {line}", f"function {line}", line + "("):
        assert len([*definitions(f"a.{ending}", text.encode())]) <= MOST
