"""Answers SMT-LIB 2 on standard input with the Python module of cvc5, for machines without its program.

The argument is how many milliseconds one question may take."""

import sys

import cvc5

solver = cvc5.Solver()
solver.setOption("incremental", "true")
solver.setOption("tlimit-per", sys.argv[1])
solver.setOption("rlimit-per", str(400 * int(sys.argv[1])))
symbols = cvc5.SymbolManager(solver.getTermManager() if hasattr(solver, "getTermManager") else solver)
parser = cvc5.InputParser(solver, symbols)
parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.stdin.read(), "stdin")
while not (command := parser.nextCommand()).isNull():
    print(command.invoke(solver, symbols), end="", flush=True)
