"""Every small way to change a module: other operators or numbers, conditions negated, statements left out."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Change = tuple[ast.AST, str]
"""A part of a module, and what stands there instead."""

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
LEFT_OUT = (ast.AugAssign, ast.Raise, ast.Break, ast.Continue, ast.Delete)


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    module: str
    line: int
    text: str
    """The line where the change begins."""
    became: str
    """The same line with the change."""
    before: str
    after: str
    source: str

    @property
    def change(self) -> str:
        """What stood there, and what stands there now."""
        return f"{self.before} → {self.after}"

    def __str__(self) -> str:
        return f"{self.module}.py:{self.line}: {self.change}   in: {self.text}"


def mutants_of(folder: Path, module: str) -> Iterator[Mutant]:
    """Make every mutant of a module, in the order of its lines."""
    source = (folder / f"{module}.py").read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree = ast.parse(source)
    unchanged = ast.dump(tree)
    for node, replacement in changes(tree):
        if not isinstance(node, ast.expr | ast.stmt) or node.end_lineno is None or node.end_col_offset is None:
            continue
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        changed = source[:start] + replacement.encode() + source[end:]
        if ast.dump(ast.parse(changed)) != unchanged:
            before = " ".join(source[start:end].decode().split())
            text, became = (code.splitlines()[node.lineno - 1].decode().strip() for code in (source, changed))
            yield Mutant(module, node.lineno, text, became, before, replacement, changed.decode())


def changes(node: ast.AST, answers: str = "") -> Iterator[Change]:
    """Find every change inside a part of a module, whose function returns this type; annotations stay."""
    if isinstance(node, ast.FunctionDef):
        answers = ast.unparse(node.returns) if node.returns else ""
    for child in parts(node):
        if isinstance(child, ast.expr):
            yield from ((child, instead) for instead in other_expressions(child))
        elif isinstance(child, ast.stmt):
            yield from ((child, instead) for instead in other_statements(child, answers))
        yield from other_tests(child)
        yield from changes(child, answers)


def parts(node: ast.AST) -> Iterator[ast.AST]:
    """Give the parts of a node that run when the program runs."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "keywords") and isinstance(
            node, ast.AnnAssign | ast.FunctionDef | ast.ClassDef | ast.arg
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr) and not is_docstring(child):
                yield child


def is_docstring(node: ast.AST) -> bool:
    """Tell whether a statement is nothing but a string."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def other_expressions(node: ast.expr) -> Iterator[str]:
    """Give what could stand instead of an expression."""
    match node:
        case ast.Compare(ops=[operator]):
            for other in COMPARED[type(operator)]:
                yield written(ast.Compare(node.left, [other()], node.comparators))
        case ast.BinOp(left, operator, right) if type(operator) in COMPUTED:
            yield written(ast.BinOp(left, COMPUTED[type(operator)](), right))
        case ast.BoolOp(operator, values):
            yield written(ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values))
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield written(operand)
        case ast.Constant(bool(value)):
            yield str(not value)
        case ast.Constant(int(value)):
            yield from (str(value + 1), f"({value - 1})")
        case ast.Call(ast.Name("min" | "max" as name), arguments, keywords):
            yield written(ast.Call(ast.Name("max" if name == "min" else "min"), arguments, keywords))
        case ast.Subscript(value, ast.Slice(lower, upper, step)):
            if lower:
                yield ast.unparse(ast.Subscript(value, ast.Slice(None, upper, step)))
            if upper:
                yield ast.unparse(ast.Subscript(value, ast.Slice(lower, None, step)))


def other_statements(node: ast.stmt, answers: str) -> Iterator[str]:
    """Give what could stand instead of a statement: another answer, or nothing."""
    match node:
        case ast.Return(ast.expr() as value):
            asked = ast.unparse(value)
            other = {"int": f"return ({asked}) + 1", "bool": f"return not ({asked})"}
            yield other.get(answers, "return None")
        case ast.Expr(ast.Call()):
            yield "pass"
        case ast.Assign([ast.Subscript() | ast.Attribute()]):
            yield "pass"
        case _ if isinstance(node, LEFT_OUT):
            yield "pass"


def other_tests(node: ast.AST) -> Iterator[Change]:
    """Turn conditions around."""
    tests: list[ast.expr] = []
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        tests = [node.test]
    elif isinstance(node, ast.comprehension):
        tests = node.ifs
    yield from ((test, written(ast.UnaryOp(ast.Not(), test))) for test in tests)


def written(node: ast.expr) -> str:
    """Write an expression so that it stays whole wherever it stands."""
    return f"({ast.unparse(ast.fix_missing_locations(node))})"
