//! Litmus tests in all their spellings, and what is refused by name.

use serval_diagnostic::LineIndex;
use serval_tso_program::{Inner, LockedKind, MAX_DEPTH, Op, Program, QuestionKind, Syntax, read_as, read_litmus};

const BASE: &str = "\
X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

fn program(text: &str) -> Program {
    read_litmus(text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
}

/// The program without its range of values, which depends on all numbers, and with the short names of registers.
fn canonical(text: &str) -> String {
    let mut program = program(text);
    program.values.high = 0;
    program.threads.iter_mut().flat_map(|thread| &mut thread.registers).for_each(|name| *name = name.replace("RAX", "EAX"));
    program.canonical()
}

/// The same test, written otherwise: what is replaced in the one above, and by what.
const SPELLINGS: &[(&str, &[(&str, &str)])] = &[
    ("64 bits", &[("X86", "X86_64")]),
    ("a hyphen in the name of the machine", &[("X86", "x86-64")]),
    ("small letters", &[("MOV", "mov"), ("EAX", "eax")]),
    ("numbers without a sign", &[("$1", "1")]),
    ("hexadecimal numbers", &[("$1", "$0x1")]),
    ("the size of memory", &[("MOV [x]", "mov dword ptr [x]")]),
    ("the size of memory in 64 bits", &[("X86", "X86_64"), ("EAX", "RAX"), ("[y],", "QWORD PTR [y],")]),
    ("blanks in operands", &[("[x],$1", "[ x ] , $1")]),
    ("the changed operand last", &[("MOV [x],$1", "movl $1,(x)"), ("MOV EAX,[y]", "movl (y),%eax")]),
    ("the changed operand last, without size", &[("MOV [x],$1", "mov $1,(x)"), ("MOV EAX,[y]", "mov (y),%eax")]),
    ("memory without parentheses", &[("MOV [x],$1", "movl $1,x"), ("MOV EAX,[y]", "movl y,%eax")]),
    ("memory relative to the code", &[("X86", "X86_64"), ("MOV [x],$1", "movl $1,x(%rip)")]),
    ("64 bits, the changed operand last", &[("X86", "X86_64"), ("MOV [x],$1", "movq $1,(x)"), ("MOV EAX,[y]", "movq (y),%rax")]),
    ("both orders in one test", &[("MOV [y],$1", "movl $1,(y)")]),
    ("addresses in registers", &[("X86", "X86_64"), ("x=0;", "0:RDI=x; x=0;"), ("MOV [x],$1", "movl $1,(%rdi)")]),
    ("addresses with a sign", &[("x=0;", "0:EDI=&x; x=0;"), ("MOV [x],$1", "MOV [EDI],$1")]),
    ("a quoted name", &[("X86 SB\n", "X86 SB\n\"PodWR Fre PodWR Fre\"\n")]),
    ("a quoted name with signs of comments", &[("X86 SB\n", "X86 SB\n\"a (* b // { c\"\n")]),
    ("a quoted name of the test", &[("X86 SB", "X86 \"SB 2\"")]),
    (
        "lines about the test",
        &[("X86 SB\n", "X86 SB\nCycle=Fre PodWR Fre PodWR\nGenerator=diy7 (version 7.56)\nPrefetch=0:x=F,1:y=T\nOrig=\n")],
    ),
    ("comments", &[("{", "(* one (* within *) another *) { (* x *)"), ("exists", "(* the\nquestion *)\nexists")]),
    ("comments to the end of a line", &[("{ x=0;", "// memory\n{ x=0; // x\n")]),
    ("a comment in an instruction", &[("MOV [x],$1", "MOV (* store *) [x],$1")]),
    ("the first part over several lines", &[("{ x=0; y=0; }", "{\nx=0;\ny=0;\n}")]),
    ("no semicolon at the end of the first part", &[("y=0; }", "y=0 }")]),
    ("types", &[("x=0;", "int x=0;"), ("y=0;", "uint64_t y;")]),
    ("sizes of registers", &[("x=0;", "x=0; uint64_t 0:EAX; int 1:EAX;")]),
    ("brackets in the first part", &[("x=0;", "[x]=0;")]),
    ("what begins with 0 need not be said", &[("y=0;", "")]),
    ("no parentheses around the condition", &[("(0:EAX=0 /\\ 1:EAX=0)", "0:EAX=0 /\\ 1:EAX=0")]),
    ("more parentheses", &[("(0:EAX=0 /\\ 1:EAX=0)", "(((0:EAX=0) /\\ (1:EAX=0)))")]),
    ("threads by name in the condition", &[("0:EAX=0", "P0:EAX=0")]),
    ("places to print", &[("exists", "locations [x; y; 0:EAX;]\nexists")]),
    ("line ends of another system", &[("\n", "\r\n")]),
    ("a mark at the beginning", &[("X86", "\u{feff}X86")]),
    ("empty rows", &[("exists", " | ;\n| ;\nexists")]),
    ("registers that begin with 0", &[("x=0;", "x=0; 0:EAX=0; 1:EAX=0;")]),
];

#[test]
fn one_test_in_many_spellings() {
    assert!(SPELLINGS.len() >= 30);
    let base = canonical(BASE);
    for (what, changes) in SPELLINGS {
        let mut text = BASE.to_owned();
        for (from, to) in *changes {
            assert!(text.contains(from), "{what}");
            text = text.replace(from, to);
        }
        assert_ne!(text, BASE, "{what}");
        assert_eq!(canonical(&text), base, "{what}\n{text}");
    }
}

#[test]
fn the_forms_of_conditions() {
    let asked = |condition: &str| {
        let program = program(&BASE.replace("exists (0:EAX=0 /\\ 1:EAX=0)", condition));
        (program.questions[0].asked, format!("{:?}", program.questions[0].condition), program.questions[0].text.clone())
    };
    let (kind, exists, text) = asked("exists  (x=1 \\/\n ~(0:EAX=1) /\\ not [y]=2 \\/ true)");
    assert_eq!((kind, text.as_str()), (QuestionKind::Exists, "exists (x=1 \\/ ~(0:EAX=1) /\\ not [y]=2 \\/ true)"));
    // `/\` binds more than `\/`, and `~` more than both.
    assert_eq!(exists, asked("exists ((x=1 \\/ ((~ 0:EAX=1) /\\ (~ y=2))) \\/ true)").1);
    assert_eq!(exists.replace("Unequal", ""), exists);
    assert!(asked("exists 0:EAX!=0").1.contains("Unequal") && asked("exists x<>0").1.contains("Unequal"));
    // What must not be is a demand, and so is what must always be: both are kept as what is bad.
    let (kind, never, _) = asked("~exists (x=1)");
    let (other, always, _) = asked("forall ~(x=1)");
    assert_eq!((kind, other, never), (QuestionKind::Forall, QuestionKind::Forall, always));
    assert_eq!(asked("~ exists (x=1)").1, asked("~exists x=1").1);
}

/// The operations of a thread with these instructions and beginnings, `;` between them.
fn ops(machine: &str, initial: &str, instructions: &str) -> Vec<Op> {
    let rows: String = instructions.split(';').map(|row| format!("{row} ;\n")).collect();
    let program = program(&format!("{machine} T\n{{ {initial} }}\n P0 ;\n{rows}exists (x=0)\n"));
    program.threads[0].code.iter().map(|node| node.op.clone()).collect()
}

#[test]
fn what_instructions_do() {
    let same = |written: &str, statements: &str| {
        let program = serval_tso_program::read(&format!("values 0..9; memory x; thread P0 {{ {statements} }} exists x == 0;")).unwrap();
        let expected: Vec<Op> = program.threads[0].code.iter().map(|node| node.op.clone()).collect();
        let (initial, instructions) = written.split_once('|').unwrap();
        assert_eq!(ops("X86_64", initial, instructions), expected, "{written}");
    };
    same("x=0|MFENCE; NOP", "fence; skip;");
    same("x=0|XCHG [x],RAX", "RAX := xchg(x, RAX);");
    same("x=0|XCHG RAX,[x]; xchgq (x),%rax; LOCK XCHG [x],RAX", "RAX := xchg(x, RAX); RAX := xchg(x, RAX); RAX := xchg(x, RAX);");
    same("x=0|LOCK XADD [x],EAX; lock xaddl %eax,(x)", "RAX := fadd(x, RAX); RAX := fadd(x, RAX);");
    same("0:RBX=1|LOCK CMPXCHG [x],RBX", "RBX := 1; RAX := cas(x, RAX, RBX);");
    same("0:RBX=1|lock cmpxchgq %rbx,(x)", "RBX := 1; RAX := cas(x, RAX, RBX);");
    same("x=0|LOCK ADD [x],$2; LOCK INC [x]; lock incq (x)", "fadd(x, 2); fadd(x, 1); fadd(x, 1);");
    same("x=0|lock decq (x); lock subq $2,(x); lock subq %rbx,(x)", "RBX := 0; fadd(x, -1); fadd(x, -2); fadd(x, -RBX);");
    same("x=0|LOCK DEC [x]", "atomic { held := x; x := (held + -1) % 4294967296; }");
    same(
        "x=0|MOV RAX,$2; ADD RAX,$1; SUB RAX,$1; INC RAX; DEC RAX",
        "RAX := 2; RAX := RAX + 1; RAX := RAX - 1; RAX := RAX + 1; RAX := RAX + -1;",
    );
    same("x=0|MOV RAX,$2; MOV RBX,RAX; XOR RAX,RAX; MOV [x],RBX", "RAX := 2; RBX := RAX; RAX := 0; x := RBX;");
    same("x=0|movq $2,%rax; movq %rax,%rbx; movq %rbx,(x)", "RAX := 2; RBX := RAX; x := RBX;");
    // Where nothing else shows it, the other instructions say which operand is changed.
    same("x=0|MOV RAX,[x]; MOV RBX,RAX", "RAX := x; RBX := RAX;");
    same("x=0|mov (x),%rax; mov rax,rbx", "RAX := x; RBX := RAX;");
    // A register that begins with a number gets it first; one that is only read begins with 0.
    same("0:EBX=3|MOV [x],EBX; MOV EBX,$1", "RBX := 3; x := RBX; RBX := 1;");
    same("x=0|MOV [x],R8; MOV [x],R8D", "R8 := 0; x := R8; x := R8;");
    let ops = ops("X86", "x=0", "LOCK XADD [x],EAX");
    assert!(matches!(&ops[0], Op::Atomic(parts) if matches!(parts[..], [Inner::Locked(LockedKind::Add, Some(_), ..)])), "{ops:?}");
}

/// What instructions become that compute with bits and jump: the same statements as these.
#[test]
fn what_is_computed_and_compared() {
    let same = |machine: &str, initial: &str, instructions: &str, statements: &str| {
        let text = format!("values 0..9; memory {statements} }} exists 0 == 0;");
        let program = serval_tso_program::read(&text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
        let expected: Vec<Op> = program.threads[0].code.iter().map(|node| node.op.clone()).collect();
        assert_eq!(ops(machine, initial, instructions), expected, "{instructions}");
    };
    // Small numbers need no modulus, and masks are remainders.
    same("X86", "", "MOV EAX,[x]; AND EAX,$3; ADD EBX,EAX", "x; thread P0 { EAX := x; EAX := EAX % 4; EBX := EBX + EAX;");
    same("X86", "", "MOV EAX,[x]; SUB EAX,$1", "x; thread P0 { EAX := x; EAX := (EAX - 1) % 4294967296;");
    same("X86", "", "MOV EAX,[x]; NOT EAX; NEG EAX", "x; thread P0 { EAX := x; EAX := 4294967295 - EAX; EAX := (-EAX) % 4294967296;");
    same("X86", "", "MOV EAX,[x]; SHL EAX,$4", "x; thread P0 { EAX := x; EAX := EAX * 16 % 4294967296;");
    same(
        "X86",
        "",
        "MOV EAX,[x]; AND EAX,$10",
        "x; thread P0 { EAX := x; sum := 0 + 2 * (EAX % 4 >= 2) + 8 * (EAX % 16 >= 8); EAX := sum;",
    );
    // `EAX` is a part of `RAX`, which is used with all its bits.
    same("X86_64", "", "mov (x),%rax; mov %eax,%ebx; dec %rax", "x; thread P0 { RAX := x; RBX := RAX % 4294967296; RAX := RAX + -1;");
    // Without `LOCK` there are two accesses.
    same("X86", "", "INC [x]", "x; thread P0 { held := x; x := held + 1;");
    same("X86", "", "ADD EAX,[x]; XADD [x],EAX", "x; thread P0 { held := x; EAX := EAX + held; held := x; x := held + EAX; EAX := held;");
    same(
        "X86",
        "",
        "LOCK AND [x],$0; LOCK AND [x],$1",
        "x; thread P0 { atomic { held := x; x := 0; } atomic { held := x; x := held % 2; }",
    );
}

#[test]
fn jumps_and_arrays() {
    let same = |test: &str, other: &str| {
        let read = program(test);
        let expected = serval_tso_program::read(other).unwrap_or_else(|wrong| panic!("{other}\n{wrong:?}"));
        for (one, other) in read.threads.iter().zip(&expected.threads) {
            assert_eq!((&one.registers, &one.code), (&other.registers, &other.code), "{test}");
        }
        assert_eq!(read.cells, expected.cells);
        assert_eq!(read.questions[0].condition, expected.questions[0].condition);
    };
    same(
        "X86 T\n{ }\n P0 | P1 ;\n l: MOV EAX,[x] | MOV [x],$1 ;\n CMP EAX,$1 | ;\n JNE l | ;\nexists (x=1)\n",
        "memory x; thread P0 { l: EAX := x; left := EAX; right := 1; if (!(left == right)) { goto l; } } thread P1 { x := 1; } exists x == 1;",
    );
    // What no jump tests is not kept.
    same(
        "X86 T\n{ }\n P0 ;\n MOV EAX,[x] ;\n CMP EAX,$1 ;\n TEST EAX,EAX ;\n JG fence ;\n MOV [x],$1 ;\n fence: ;\nexists (x=1)\n",
        "memory x; thread P0 { EAX := x; skip; left := EAX; right := 0; if (!(left <= right)) { goto e; } x := 1; e: skip; } exists x == 1;",
    );
    same(
        "X86_64 T\n{ int a[2]; 0:rdi=a; 0:rsi=&a[1]; }\n P0 ;\n movl $1,4(%rdi) ;\n movl (%rsi),%eax ;\n movl $2,(%rdi,%rax,4) ;\n movl a+4(%rip),%ebx ;\nexists (a[1]=1)\n",
        "memory a[2]; thread P0 { a[1] := 1; RAX := a[1]; a[0 + 1 * RAX] := 2; RBX := a[1]; } exists a[1] == 1;",
    );
    // Cells that begin with different values have names of their own.
    let read = program("X86 T\n{ int a[2]={1,2}; }\n P0 ;\n MOV EAX,[a+4] ;\nexists (a[1]=2)\n");
    assert_eq!(read.cells, [("a_0".to_owned(), 1), ("a_1".to_owned(), 2)]);
    let said = mistakes("X86 T\n{ int a[2]={1,2}; }\n P0 ;\n MOV EBX,[a+EAX] ;\nexists (a[1]=2)\n");
    assert_eq!(said, ["E0621 2:7 a register chooses a cell of `a`, whose cells begin with different values"]);
    // Both widths of one cell are the same only for small numbers.
    let both = "X86_64 T\n{ }\n P0 ;\n movl $1,(x) ;\n movq (x),%rax ;\nexists (x=1)\n";
    assert!(read_litmus(both).is_ok());
    assert_eq!(
        mistakes(&both.replace("$1", "$-1")),
        ["E0621 5:7 `x` is accessed with 32 and with 64 bits, in a test whose numbers need the difference"]
    );
}

#[test]
fn names_of_memory_stay_apart() {
    // Words of the language and names that they are changed to are different memory.
    let text = "X86 T\n{ fence=1; fence_=2; loop=3; }\n P0 ;\n MOV [fence],$1 ;\n MOV [fence_],$2 ;\nexists (loop=3 /\\ fence=1)\n";
    let program = program(text);
    let names: Vec<(&str, i64)> = program.cells.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(names, [("fence_", 1), ("fence__", 2), ("loop_", 3)]);
    // Letters of another size make another name.
    assert_eq!(read_litmus(&BASE.replace("[y],", "[Y],")).unwrap().cells.len(), 3);
}

/// What is replaced in the test above, by what, and what is said about it.
const REFUSED: &[(&str, &str, &str)] = &[
    ("X86", "AArch64", "E0620 1:1 tests of `AArch64` are not read"),
    ("X86", "PPC", "E0620 1:1 tests of `PPC` are not read"),
    ("X86", "RISCV", "E0620 1:1 tests of `RISCV` are not read"),
    ("X86", "C", "E0620 1:1 tests of `C` are not read"),
    ("X86", "Z80", "E0620 1:1 `Z80` is no machine whose tests are read"),
    ("MOV [x],$1 ", "CMOVE EAX,EBX", "E0621 4:2 the instruction `CMOVE` is not read"),
    ("MOV [x],$1 ", "SAR EAX,$1", "E0621 4:2 the instruction `SAR` is not read"),
    ("MOV [y],$1 ", "MOVNTI [y],EAX", "E0621 4:16 the instruction `MOVNTI` is not read"),
    ("MOV [x],$1 ", "CLFLUSH [x]", "E0621 4:2 the instruction `CLFLUSH` is not read"),
    ("MOV [x],$1 ", "JNE l", "E0621 4:2 nothing has been compared before this jump"),
    ("MOV [x],$1 ", "JMP l", "E0622 4:6 this thread has no label `l`"),
    ("MOV [x],$1 ", "JMP 3", "E0621 4:2 `JMP 3` goes to no label"),
    ("MOV [x],$1 ", "LOCK JMP l", "E0622 4:2 `LOCK` cannot stand before `JMP` here"),
    ("MOV EAX,[y] | MOV EAX,[x] ;", "l: | ;\n l: ADD EAX,$1 | MOV EAX,[x] ;", "E0622 6:2 there is a label `l` already"),
    (
        "MOV EAX,[y] | MOV EAX,[x] ;",
        "l: ADD EAX,$1 | MOV EAX,[x] ;\n JB l | ;",
        "E0621 6:2 carry and overflow of a sum or a shift are not read",
    ),
    ("MOV [x],$1 ", "movb $1,(x)", "E0621 4:2 `movb` is of 8 or 16 bits, and is not read"),
    ("MOV [x],$1 ", "MOV [x],AL", "E0621 4:10 `AL` is a part of a register with 8 or 16 bits, which is not read"),
    ("MOV [x],$1 ", "MOV [x],[y]", "E0621 4:10 a second operand in memory"),
    ("MOV [x],$1 ", "CMPXCHG [x],EBX", "E0621 4:2 `CMPXCHG` on memory without `LOCK` is a load and perhaps a store, and is not read"),
    ("MOV [x],$1 ", "MOV [x+4],$1", "E0621 4:6 `[x+4]` is no whole cell of `x`"),
    ("MOV [x],$1 ", "MOV [x+EAX+EBX],$1", "E0621 4:6 `[x+EAX+EBX]` is no operand that is read"),
    ("MOV [x],$1 ", "MOV [x+y],$1", "E0621 4:6 `[x+y]` is no operand that is read"),
    ("MOV [x],$1 ", "MOV word ptr [x],$1", "E0621 4:6 `word ptr [x]` is memory of 8 or 16 bits, and is not read"),
    ("MOV [x],$1 ", "SHL EAX,EBX", "E0621 4:2 `SHL` is read with a constant number of bits alone, and not 0"),
    ("MOV [x],$1 ", "MOV EAX,$x", "E0621 4:10 `$x` is the address of `x`, which is not read"),
    ("MOV [x],$1 ", "XADD EAX,EBX", "E0621 4:2 `XADD` without memory is not read"),
    ("MOV [x],$1 ", "LOCK MOV [x],$1", "E0622 4:2 `LOCK` cannot stand before `MOV` here"),
    ("MOV [x],$1 ", "LOCK", "E0621 4:6 an instruction is missing"),
    ("MOV [x],$1 ", "LOCK ADD EAX,$1", "E0622 4:2 `LOCK` cannot stand before `ADD` here"),
    ("MOV [x],$1 ", "MOV [x]", "E0622 4:2 `MOV` has 2 operands, and here are 1"),
    ("MOV [x],$1 ", "MOV $1,$2", "E0622 4:9 `$2` is a number, which nothing can change"),
    ("MOV [x],$1 ", "MOV [x],%eax", "E0622 4:2 this instruction has signs of both orders of operands"),
    ("MOV [x],$1 ", "MOV [x],$-2147483649", "E0622 4:10 `$-2147483649` does not fit 32 bits"),
    ("MOV [x],$1 ", "MOV [x],$99999999999", "E0622 4:10 `$99999999999` does not fit 32 bits"),
    ("MOV [x],$1 ", "MOV [x],$0x10000000000000000", "E0622 4:11 `0x10000000000000000` is no number that can be used"),
    ("MOV [x],$1 ", "movq $1,(x)", "E0622 4:2 `movq` is of 64 bits, and the machine has 32"),
    ("MOV [x],$1 ", "MOV RAX,[x]", "E0622 4:6 `RAX` is no register of a machine with 32 bits"),
    ("MOV [x],$1 ", "MOV [EBX],$1", "E0622 4:6 `[EBX]` begins with no address in this thread"),
    (" | MOV [y],$1", "", "E0622 4:2 a row of 1 for 2 threads"),
    ("P1", "P0", "E0622 3:16 expected `P0`, `P1` and so on, each once, but found `P0`"),
    ("{ x=0;", "{ x=0; x=1;", "E0622 2:8 `x` begins twice"),
    ("{ x=0;", "{ EAX=0;", "E0622 2:3 expected the number of a thread and `:`, but found `EAX`"),
    ("{ x=0;", "{ 7:EAX=0;", "E0622 2:3 there is no thread 7"),
    ("{ x=0;", "{ int 7:EAX; x=0;", "E0622 2:7 there is no thread 7"),
    ("{ x=0;", "{ 0:EAX; x=0;", "E0622 2:3 expected `=`, but found `0:EAX`"),
    ("{ x=0;", "{ int *x=0;", "E0622 2:7 `*x` is no memory or register that is read"),
    ("{ x=0;", "{ int16_t x;", "E0621 2:3 `int16_t` is memory of 8 or 16 bits, and is not read"),
    ("{ x=0;", "{ x[1]=0;", "E0622 2:3 `x` is declared as no array"),
    ("{ x=0;", "{ int x[2]={1,2,3};", "E0622 2:12 3 values for 2 cells"),
    ("{ x=0;", "{ int x[2]; x[2]=1;", "E0622 2:13 there is no cell `x[2]`"),
    ("{ x=0;", "{ int x[999];", "E0610 2:9 an array of 999 cells; there are from 1 to 256 cells in all"),
    ("{ x=0;", "{ x=y;", "E0622 2:5 `y` is no number that can be used"),
    ("{ x=0; y=0; }", "{ x=0; y=0;", "E0622 6:28 expected `}`, but the text ends"),
    ("{ x=0;", "nonsense\n{ x=0;", "E0622 2:1 expected `{`, but found `nonsense`"),
    ("1:EAX=0)", "3:EAX=0)", "E0622 6:20 there is no thread 3"),
    ("1:EAX=0)", "1:EAX=0", "E0622 6:27 expected `)`, but the text ends"),
    ("1:EAX=0)", "1:EAX=x)", "E0622 6:26 `x` is no number that can be used"),
    ("1:EAX=0)", "EAX=0)", "E0622 6:20 expected `0:EAX=1` or `x=1`, but found `EAX`"),
    ("1:EAX=0)", "1:EAX=0) x", "E0622 6:29 expected the end of the test, but found `x`"),
    ("exists (", "final (", "E0622 6:1 `final` is not read"),
    ("exists (", "filter (", "E0622 6:1 `filter` is not read"),
    ("exists (0:EAX=0 /\\ 1:EAX=0)\n", "", "E0622 5:29 expected `exists`, `~exists` or `forall`, but the text ends"),
    ("exists", "(* exists", "E0622 6:1 this comment is never closed"),
];

fn mistakes(text: &str) -> Vec<String> {
    let lines = LineIndex::new(text);
    let wrong = read_litmus(text).err().unwrap_or_default();
    let said = wrong.iter().map(|diagnostic| {
        let at = lines.position(text, diagnostic.primary.span.start);
        assert!(diagnostic.expected.is_some() && diagnostic.help.is_some(), "{diagnostic:?}");
        format!("{} {}:{} {}", diagnostic.code, at.line, at.column, diagnostic.message)
    });
    said.collect()
}

#[test]
fn what_is_not_read_is_refused_by_name_where_it_stands() {
    for (from, to, said) in REFUSED {
        assert!(BASE.contains(from), "{from}");
        let text = BASE.replacen(from, to, 1);
        assert_eq!(mistakes(&text), [*said], "{text}");
    }
    // Several at once, in the order of the text.
    let text = BASE.replace("MOV [x],$1 ", "CMOVE EAX,$1").replace("MOV EAX,[x]", "HLT").replace("{ x=0;", "{ x=one;");
    let codes: Vec<String> = mistakes(&text).iter().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(codes, ["E0622 2:5", "E0621 4:2", "E0621 5:16"]);
}

#[test]
fn an_order_that_nothing_shows_is_refused() {
    let test = |rows: &str| mistakes(&format!("X86 T\n{{ }}\n P0 ;\n{rows}exists (x=0)\n"));
    let said = "E0622 4:1 nothing shows in which order the operands stand";
    assert_eq!(test("MOV EAX,EBX ;\n"), [said]);
    // Both orders elsewhere decide nothing.
    assert_eq!(test("MOV EAX,EBX ;\nMOV EAX,[x] ;\nmovl (x),%eax ;\n"), [said]);
    assert_eq!(test("MOV EAX,EBX ;\nMOV EAX,[x] ;\n"), [""; 0]);
}

#[test]
fn limits_hold() {
    let condition = |text: String| BASE.replace("(0:EAX=0 /\\ 1:EAX=0)", &text);
    assert!(mistakes(&condition(format!("{}x=0{}", "(".repeat(100_000), ")".repeat(100_000))))[0].starts_with("E0610"));
    assert!(mistakes(&condition("~".repeat(100_000)))[0].starts_with("E0610"));
    assert!(mistakes(&condition(format!("x=0{}", " /\\ x=0".repeat(10_000))))[0].starts_with("E0610"));
    assert!(read_litmus(&condition(format!("{}x=0{}", "(".repeat(MAX_DEPTH - 1), ")".repeat(MAX_DEPTH - 1)))).is_ok());
    let columns: Vec<String> = (0..65).map(|number| format!("P{number}")).collect();
    assert!(mistakes(&format!("X86 T\n{{ }}\n{} ;\nexists (x=0)\n", columns.join("|")))[0].starts_with("E0610"));
    assert!(mistakes(&" ".repeat((1 << 20) + 1))[0].starts_with("E0610"));
    let cells: String = (0..300).map(|number| format!("MOV [x{number}],$1 ;\n")).collect();
    assert!(mistakes(&format!("X86 T\n{{ }}\n P0 ;\n{cells}exists (x0=0)\n"))[0].starts_with("E0610"));
}

#[test]
fn no_prefix_and_no_hole_of_a_test_panics() {
    let more = "X86_64 T\n{ uint64_t a[2]={1,0x2}; a[1]=-1; 0:rdi=a+8; }\n P0 ;\n l: cmpq $-1,(%rdi) ;\n jbe l ;\n lock subq %rax,a+8(%rip) ;\n movq a(%rax),%rbx ;\n shrq $3,%rbx ;\nforall (a[1]=-1 => 0:rbx!=0xffffffffffffffff)";
    // The cells begin with different values.
    assert_eq!(mistakes(more).len(), 1);
    let text = "X86_64 \"T\"\n\"a b\"\nK=v\n{ int x=1; 0:RDI=x; 1:RAX=0x2; }\n P0 | P1 ;\n lock xaddl %eax,(%rdi) | MOV dword ptr [x],R8 ;\n (* c *) MFENCE | ;\n\
                locations [x;]\n~exists (0:rax=0 /\\ ~(x=1 \\/ 1:R8!=2)) // end";
    assert!(read_litmus(text).is_ok(), "{:?}", mistakes(text));
    for (text, cut) in [text, more].into_iter().flat_map(|text| (0..text.len()).map(move |cut| (text, cut))) {
        for text in [
            text[..cut].to_owned(),
            format!("{}{}", &text[..cut], &text[(cut + 3).min(text.len())..]),
            format!("{}é{}", &text[..cut], &text[cut..]),
        ] {
            for syntax in [Syntax::Litmus, Syntax::Tso] {
                let wrong = read_as(&text, syntax).err();
                assert!(wrong.is_none_or(|wrong| !wrong.is_empty()), "{text}");
            }
        }
    }
}
