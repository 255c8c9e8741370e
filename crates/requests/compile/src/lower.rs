//! Program → control graph, a node for every operation of the text.
//!
//! Expressions are lowered backwards: `lower(e, to, next)` makes the nodes
//! that evaluate `e` into register `to` and go on with `next`, and gives the
//! first of them. So each expression is visited once, its continuation is
//! known when it is visited, and nothing needs patching except loop heads.
//!
//! Two facts make this follow the evaluation contexts of the language:
//!
//! * The register `to` is written by the last operation of `e` and by no
//!   earlier one, so `x := e` may evaluate `e` straight into `x` although `e`
//!   reads `x`.
//! * An operand that has been evaluated sits in a temporary of its own until
//!   the operator runs, so a `yield` or an assignment in a later operand does
//!   not disturb it. A local variable is used in place, without a temporary,
//!   only where no later operand of the same operator assigns it.

use rustc_hash::FxHashMap;
use serval_syntax::{ArithmeticOp, CompareOp, Expr, ExprKind, Program, Request, Span, Variable};

use crate::graph::{Graph, GraphBranch, Node, NodeId, Op, Operand, Reg};

/// Where a request goes on after each `yield` of its body, in the order of the text, with the operands that wait
/// there, outermost first; and the registers of its local variables.
pub(crate) struct BodyPlaces {
    pub(crate) resumes: Vec<(NodeId, Vec<Operand>)>,
    pub(crate) locals: Vec<Reg>,
}

/// Lowers all requests of `program` into one graph.
pub(crate) fn lower(program: &Program) -> Graph {
    lower_with_places(program).0
}

/// The same with the places of each body.
pub(crate) fn lower_with_places(program: &Program) -> (Graph, Vec<BodyPlaces>) {
    // Local variables of one name share a register across requests, so that
    // equal code in two requests gives equal nodes. Hidden ones come after the
    // named, as they are temporaries to everybody but this module.
    let locals = || program.requests.iter().flat_map(|request| &request.locals);
    let mut reg_of_name: FxHashMap<&str, Reg> = FxHashMap::default();
    let mut named_regs = Vec::new();
    for local in locals().filter(|local| !local.hidden) {
        reg_of_name.entry(local.name.as_str()).or_insert_with(|| {
            named_regs.push(local.name.clone());
            Reg(u32_of(named_regs.len() - 1))
        });
    }
    let mut first_temp = u32_of(named_regs.len());
    for local in locals().filter(|local| local.hidden) {
        reg_of_name.entry(local.name.as_str()).or_insert_with(|| {
            first_temp += 1;
            Reg(first_temp - 1)
        });
    }
    let graph = Graph {
        nodes: Vec::new(),
        spans: Vec::new(),
        entries: Vec::new(),
        params: Vec::new(),
        named_regs,
        reg_count: first_temp as usize,
        branches: Vec::new(),
    };
    let mut lowering = Lowering { graph, locals: Vec::new(), first_temp, waiting: Vec::new(), resumes: Vec::new() };
    let mut places = Vec::with_capacity(program.requests.len());
    for request in &program.requests {
        lowering.locals = request.locals.iter().map(|local| reg_of_name[local.name.as_str()]).collect();
        let entry = lowering.request(request);
        lowering.graph.entries.push(entry);
        let params = request.params.iter().map(|param| (lowering.locals[param.local.index()], param.low, param.high)).collect();
        lowering.graph.params.push(params);
        // All forms are lowered from their last part to their first.
        let mut resumes = std::mem::take(&mut lowering.resumes);
        resumes.reverse();
        places.push(BodyPlaces { resumes, locals: lowering.locals.clone() });
    }
    (lowering.graph, places)
}

fn u32_of(index: usize) -> u32 {
    // Variables and nesting come from a text of limited size.
    u32::try_from(index).unwrap_or(u32::MAX)
}

struct Lowering {
    graph: Graph,
    /// The registers of the current request's local variables.
    locals: Vec<Reg>,
    first_temp: u32,
    /// The operands that wait for the part that is being lowered.
    waiting: Vec<Operand>,
    /// What was met so far of a body, the last `yield` first.
    resumes: Vec<(NodeId, Vec<Operand>)>,
}

/// How many temporaries are in use. Passed down, so siblings reuse them.
#[derive(Clone, Copy)]
struct Depth(u32);

impl Depth {
    fn deeper(self, by: u32) -> Self {
        Self(self.0 + by)
    }
}

impl Lowering {
    fn request(&mut self, request: &Request) -> NodeId {
        let result = self.temp(Depth(0));
        let end = self.add(Node::Answer { value: Operand::Reg(result) }, last(&request.body).span);
        self.lower(&request.body, result, end, Depth(1))
    }

    fn add(&mut self, node: Node, span: Span) -> NodeId {
        serval_budget::checkpoint::pass();
        self.graph.nodes.push(node);
        self.graph.spans.push(span);
        NodeId::from_index(self.graph.nodes.len() - 1)
    }

    fn op(&mut self, op: Op, span: Span, next: NodeId) -> NodeId {
        self.add(Node::Do { op, next }, span)
    }

    fn temp(&mut self, depth: Depth) -> Reg {
        let reg = Reg(self.first_temp + depth.0);
        self.graph.reg_count = self.graph.reg_count.max(reg.index() + 1);
        reg
    }

    /// The operand that `e` is without any node, if nothing in `later` can
    /// change it before the operator runs.
    fn simple(&self, e: &Expr, later: &[&Expr]) -> Option<Operand> {
        match e.kind {
            ExprKind::Number(value) | ExprKind::Constant(value) => Some(Operand::Const(value)),
            ExprKind::Read(Variable::Local(local)) => {
                let target = Variable::Local(local);
                let reg = self.locals[local.index()];
                (!later.iter().any(|e| assigns(e, target))).then_some(Operand::Reg(reg))
            }
            _ => None,
        }
    }

    fn lower(&mut self, e: &Expr, to: Reg, next: NodeId, depth: Depth) -> NodeId {
        match &e.kind {
            ExprKind::Number(value) | ExprKind::Constant(value) => self.op(Op::Copy { to, from: Operand::Const(*value) }, e.span, next),
            ExprKind::Choice => self.op(Op::Choose { to }, e.span, next),
            ExprKind::Yield => {
                // The value of `yield` belongs to the next step, whose text
                // begins after it.
                let after = Span::new(e.span.end, e.span.end);
                let resume = self.op(Op::Copy { to, from: Operand::Const(0) }, after, next);
                self.resumes.push((resume, self.waiting.clone()));
                self.add(Node::Yield { next: resume }, e.span)
            }
            ExprKind::Read(Variable::Local(local)) => {
                let from = Operand::Reg(self.locals[local.index()]);
                self.op(Op::Copy { to, from }, e.span, next)
            }
            ExprKind::Read(Variable::Global(global)) => self.op(Op::Load { to, global: *global }, e.span, next),
            ExprKind::Assign { target, target_span, value, unlock } => {
                self.assign(*target, (*target_span, *unlock), value, to, next, depth)
            }
            ExprKind::Within { value, low, high, limit } => {
                let check = Op::Check { from: Operand::Reg(to), low: *low, high: *high, limit: *limit };
                let check = self.op(check, e.span, next);
                self.lower(value, to, check, depth)
            }
            ExprKind::Not(inner) => self.unary(inner, e.span, next, depth, |from| Op::Not { to, from }),
            ExprKind::Negate(inner) => self.unary(inner, e.span, next, depth, |from| Op::Negate { to, from }),
            ExprKind::Arithmetic { first, rest } => self.arithmetic(first, rest, e.span, to, next, depth),
            ExprKind::Compare { op, left, right } => self.compare(*op, left, right, e.span, to, next, depth),
            ExprKind::And(_) | ExprKind::Or(_) => {
                let yes = self.op(Op::Copy { to, from: Operand::Const(1) }, e.span, next);
                let no = self.op(Op::Copy { to, from: Operand::Const(0) }, e.span, next);
                self.test(e, yes, no, depth)
            }
            ExprKind::Sequence(parts) => {
                let Some((last, before)) = parts.split_last() else { return next };
                let mut node = self.lower(last, to, next, depth);
                for part in before.iter().rev() {
                    let unused = self.temp(depth);
                    node = self.lower(part, unused, node, depth.deeper(1));
                }
                node
            }
            ExprKind::If { arms, otherwise } => {
                let mut node = match otherwise {
                    Some(otherwise) => self.lower(otherwise, to, next, depth),
                    None => self.op(Op::Copy { to, from: Operand::Const(0) }, e.span, next),
                };
                let mut begun: Vec<(Span, NodeId)> = otherwise.iter().map(|otherwise| (otherwise.span, node)).collect();
                for arm in arms.iter().rev() {
                    let body = self.lower(&arm.body, to, next, depth);
                    begun.push((arm.body.span, body));
                    node = self.test(&arm.condition, body, node, depth);
                }
                let switched = arms.iter().any(|arm| is_constant(&arm.condition));
                let branches = begun.into_iter().map(|(place, entry)| GraphBranch { place, head: node, entry, switched });
                self.graph.branches.extend(branches);
                node
            }
            ExprKind::While { condition, body } => {
                // The head is a node of its own so that the body can lead back
                // to it: the one place where a node is filled in afterwards.
                let exit = self.op(Op::Copy { to, from: Operand::Const(0) }, e.span, next);
                let head = self.add(Node::Never, e.span);
                let unused = self.temp(depth);
                let place = body.span;
                let body = self.lower(body, unused, head, depth.deeper(1));
                let test = self.test(condition, body, exit, depth);
                self.graph.branches.push(GraphBranch { place, head: test, entry: body, switched: is_constant(condition) });
                self.graph.nodes[head.index()] = Node::Branch { test: Operand::Const(1), then: test, otherwise: test };
                head
            }
            ExprKind::Return(value) => {
                let result = self.temp(Depth(0));
                let end = self.add(Node::Answer { value: Operand::Reg(result) }, e.span);
                self.lower(value, result, end, depth)
            }
        }
    }

    fn assign(
        &mut self,
        target: Variable,
        (target_span, unlock): (Span, bool),
        value: &Expr,
        to: Reg,
        next: NodeId,
        depth: Depth,
    ) -> NodeId {
        match target {
            Variable::Local(local) => {
                let reg = self.locals[local.index()];
                let copy = self.op(Op::Copy { to, from: Operand::Reg(reg) }, target_span, next);
                self.lower(value, reg, copy, depth)
            }
            Variable::Global(global) => {
                if let Some(from) = self.simple(value, &[]) {
                    let copy = self.op(Op::Copy { to, from }, target_span, next);
                    return self.op(Op::Store { global, from, unlock }, target_span, copy);
                }
                let store = self.op(Op::Store { global, from: Operand::Reg(to), unlock }, target_span, next);
                self.lower(value, to, store, depth)
            }
        }
    }

    /// Lowers what comes after an operand of the same operator.
    fn lower_beside(&mut self, left: Operand, right: &Expr, to: Reg, next: NodeId, depth: Depth) -> NodeId {
        self.waiting.push(left);
        let node = self.lower(right, to, next, depth);
        self.waiting.pop();
        node
    }

    fn unary(&mut self, inner: &Expr, span: Span, next: NodeId, depth: Depth, op: impl Fn(Operand) -> Op) -> NodeId {
        match self.simple(inner, &[]) {
            Some(from) => self.op(op(from), span, next),
            None => {
                let temp = self.temp(depth);
                let node = self.op(op(Operand::Reg(temp)), span, next);
                self.lower(inner, temp, node, depth.deeper(1))
            }
        }
    }

    fn arithmetic(&mut self, first: &Expr, rest: &[(ArithmeticOp, Expr)], span: Span, to: Reg, next: NodeId, depth: Depth) -> NodeId {
        // `depth` holds the value so far, `depth + 1` the operand at hand.
        let so_far = self.temp(depth);
        let mut node = next;
        let mut result = to;
        for (position, (op, right)) in rest.iter().enumerate().rev() {
            let left_simple = if position == 0 { self.simple(first, &[right]) } else { None };
            let left = left_simple.unwrap_or(Operand::Reg(so_far));
            let right_simple = self.simple(right, &[]);
            let right_temp = self.temp(depth.deeper(1));
            let right_operand = right_simple.unwrap_or(Operand::Reg(right_temp));
            let span = Span::new(span.start, right.span.end.max(span.start));
            node = self.op(Op::Arithmetic { op: *op, to: result, left, right: right_operand }, span, node);
            if right_simple.is_none() {
                node = self.lower_beside(left, right, right_temp, node, depth.deeper(2));
            }
            if position == 0 && left_simple.is_none() {
                node = self.lower(first, so_far, node, depth.deeper(1));
            }
            result = so_far;
        }
        node
    }

    #[expect(clippy::too_many_arguments, reason = "one call; a struct would only rename the arguments")]
    fn compare(&mut self, op: CompareOp, left: &Expr, right: &Expr, span: Span, to: Reg, next: NodeId, depth: Depth) -> NodeId {
        let left_temp = self.temp(depth);
        let right_temp = self.temp(depth.deeper(1));
        let left_simple = self.simple(left, &[right]);
        let right_simple = self.simple(right, &[]);
        let left_operand = left_simple.unwrap_or(Operand::Reg(left_temp));
        let right_operand = right_simple.unwrap_or(Operand::Reg(right_temp));
        let mut node = self.op(Op::Compare { op, to, left: left_operand, right: right_operand }, span, next);
        if right_simple.is_none() {
            node = self.lower_beside(left_operand, right, right_temp, node, depth.deeper(2));
        }
        if left_simple.is_none() {
            node = self.lower(left, left_temp, node, depth.deeper(1));
        }
        node
    }

    /// Evaluates `e` as a condition.
    fn test(&mut self, e: &Expr, then: NodeId, otherwise: NodeId, depth: Depth) -> NodeId {
        match &e.kind {
            ExprKind::Not(inner) => self.test(inner, otherwise, then, depth),
            ExprKind::And(parts) => parts.iter().rev().fold(then, |node, part| self.test(part, node, otherwise, depth)),
            ExprKind::Or(parts) => parts.iter().rev().fold(otherwise, |node, part| self.test(part, then, node, depth)),
            _ => match self.simple(e, &[]) {
                Some(test) => self.add(Node::Branch { test, then, otherwise }, e.span),
                None => {
                    let temp = self.temp(depth);
                    let branch = self.add(Node::Branch { test: Operand::Reg(temp), then, otherwise }, e.span);
                    self.lower(e, temp, branch, depth.deeper(1))
                }
            },
        }
    }
}

/// The part of `e` that is evaluated last where nothing branches.
fn last(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Sequence(parts) => parts.last().map_or(e, last),
        _ => e,
    }
}

/// Whether `e` has the same value in every run: numbers, constants and parameters, and what is computed from them.
fn is_constant(e: &Expr) -> bool {
    let mut constant = true;
    e.visit(&mut |e| {
        constant &= !matches!(
            e.kind,
            ExprKind::Read(_) | ExprKind::Choice | ExprKind::Yield | ExprKind::Assign { .. } | ExprKind::While { .. } | ExprKind::Return(_)
        );
    });
    constant
}

/// Whether evaluating `e` may assign `target`.
fn assigns(e: &Expr, target: Variable) -> bool {
    let mut found = false;
    e.visit(&mut |e| found |= matches!(e.kind, ExprKind::Assign { target: assigned, .. } if assigned == target));
    found
}
