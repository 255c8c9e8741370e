//! The walk that resolves names.

use rustc_hash::FxHashMap;

use super::{Access, Bindings, Occurrence, Symbol, SymbolKind, own_truth_values, undeclared};
use crate::grammar::SyntaxKind;
use crate::tree::{SyntaxElement, SyntaxNode, SyntaxToken, span};
use serval_diagnostic::Span;

pub(super) fn bindings(root: &SyntaxNode) -> Bindings {
    let file = span(root.text_range());
    let mut walk = ScopeWalk { file, truth: own_truth_values(root), ..ScopeWalk::default() };
    for item in root.children() {
        walk.declare(&item);
    }
    // A file that is one bare sequence is a request without a name.
    walk.scopes.push(Scope { place: file, is_item: true, known: FxHashMap::default() });
    walk.walk(root);
    let ScopeWalk { mut table, .. } = walk;
    table.occurrences.sort_by_key(|one| one.span);
    define_by_use(&mut table);
    table
}

/// What is not declared is defined where it is written first, or else read first.
fn define_by_use(table: &mut Bindings) {
    let mut first: FxHashMap<usize, (bool, Span)> = FxHashMap::default();
    for one in &table.occurrences {
        let known = first.entry(one.symbol).or_insert((one.access.writes(), one.span));
        if one.access.writes() && !known.0 {
            *known = (true, one.span);
        }
    }
    for (index, symbol) in table.symbols.iter_mut().enumerate().filter(|(_, symbol)| symbol.declaration.is_none()) {
        if let Some(&(_, place)) = first.get(&index) {
            symbol.definition = place;
        }
    }
}

/// A part of the text in which names are known.
struct Scope {
    place: Span,
    /// Whether undeclared locals belong here.
    is_item: bool,
    known: FxHashMap<String, usize>,
}

#[derive(Default)]
struct ScopeWalk {
    table: Bindings,
    file: Span,
    /// What the file declares.
    declared: FxHashMap<String, usize>,
    /// The members of each `enum`.
    members: FxHashMap<(usize, String), usize>,
    /// The requests and functions, by where their names stand.
    items: FxHashMap<Span, usize>,
    /// From the outermost.
    scopes: Vec<Scope>,
    /// The request or function around.
    item: Option<usize>,
    /// Whether `true` and `false` are names.
    truth: bool,
}

fn name_of(node: &SyntaxNode) -> Option<SyntaxToken> {
    node.children_with_tokens().filter_map(SyntaxElement::into_token).find(|token| token.kind() == SyntaxKind::Name)
}

impl ScopeWalk {
    fn symbol(&mut self, symbol: Symbol) -> usize {
        self.table.symbols.push(symbol);
        self.table.symbols.len() - 1
    }

    fn occurs(&mut self, token: &SyntaxToken, symbol: usize, access: Access) {
        let item = self.item;
        self.table.occurrences.push(Occurrence { span: span(token.text_range()), symbol, access, item });
    }

    /// Collects what an item of the file declares.
    fn declare(&mut self, item: &SyntaxNode) {
        let kind = match item.kind() {
            SyntaxKind::Const => SymbolKind::Constant,
            SyntaxKind::Enum => SymbolKind::Enum,
            SyntaxKind::Version => SymbolKind::Version,
            SyntaxKind::Function => SymbolKind::Function,
            SyntaxKind::Request => SymbolKind::Request,
            SyntaxKind::Var if item.children_with_tokens().any(|part| part.kind() == SyntaxKind::LeftBracket) => SymbolKind::Array,
            SyntaxKind::Var => SymbolKind::Global,
            _ => return,
        };
        let owner = self.declare_name(item, kind, None);
        for member in item.children().filter(|child| child.kind() == SyntaxKind::EnumMember) {
            let index = self.declare_name(&member, SymbolKind::Member, owner);
            if let (Some(owner), Some(name), Some(index)) = (owner, name_of(&member), index) {
                self.members.entry((owner, name.text().to_owned())).or_insert(index);
            }
        }
    }

    /// The symbol of a name that is declared for the whole file. A name that is taken stays what it is; requests take
    /// none.
    fn declare_name(&mut self, node: &SyntaxNode, kind: SymbolKind, owner: Option<usize>) -> Option<usize> {
        let name = name_of(node)?;
        if kind != SymbolKind::Request
            && let Some(&known) = self.declared.get(name.text())
        {
            self.occurs(&name, known, Access::Declare);
            return Some(known);
        }
        let (definition, declaration) = (span(name.text_range()), Some(span(node.text_range())));
        let symbol = Symbol { name: name.text().to_owned(), kind, definition, declaration, scope: self.file, owner };
        let index = self.symbol(symbol);
        if matches!(kind, SymbolKind::Request | SymbolKind::Function) {
            self.items.insert(definition, index);
        }
        self.occurs(&name, index, Access::Declare);
        if kind != SymbolKind::Request {
            self.declared.insert(name.text().to_owned(), index);
        }
        Some(index)
    }

    /// Goes through the children of a node. The nesting of trees is bounded by the parser.
    fn walk(&mut self, node: &SyntaxNode) {
        serval_budget::checkpoint::pass();
        for child in node.children_with_tokens() {
            match child {
                rowan::NodeOrToken::Token(token) if token.kind() == SyntaxKind::Name => self.name(node, &token),
                rowan::NodeOrToken::Token(_) => {}
                rowan::NodeOrToken::Node(child) => self.node(&child),
            }
        }
    }

    fn node(&mut self, node: &SyntaxNode) {
        match node.kind() {
            SyntaxKind::Request | SyntaxKind::Function => self.item(node),
            SyntaxKind::ForExpr => self.for_loop(node),
            SyntaxKind::Block | SyntaxKind::Condition | SyntaxKind::ParenExpr => self.within(node, false, ScopeWalk::walk),
            _ => self.walk(node),
        }
    }

    /// Does `part` with a scope of its own.
    fn within(&mut self, node: &SyntaxNode, is_item: bool, part: impl FnOnce(&mut Self, &SyntaxNode)) {
        self.scopes.push(Scope { place: span(node.text_range()), is_item, known: FxHashMap::default() });
        part(self, node);
        self.scopes.pop();
    }

    /// A request or a function.
    fn item(&mut self, node: &SyntaxNode) {
        let index = name_of(node).and_then(|name| self.items.get(&span(name.text_range())).copied());
        let outer = std::mem::replace(&mut self.item, index);
        self.within(node, true, Self::walk);
        self.item = outer;
    }

    /// `for i in 0..3 { … }`: the range is outside of the loop.
    fn for_loop(&mut self, node: &SyntaxNode) {
        for child in node.children() {
            if child.kind() != SyntaxKind::Block {
                self.node(&child);
                continue;
            }
            self.within(&child, false, |walk, block| {
                if let Some(name) = name_of(node) {
                    walk.local(&name, SymbolKind::LoopVariable, node, span(block.text_range()));
                }
                walk.walk(block);
            });
        }
    }

    /// A new symbol of the innermost scope.
    fn local(&mut self, name: &SyntaxToken, kind: SymbolKind, declaration: &SyntaxNode, scope: Span) {
        let (definition, owner) = (span(name.text_range()), self.item);
        let declaration = Some(span(declaration.text_range()));
        let index = self.symbol(Symbol { name: name.text().to_owned(), kind, definition, declaration, scope, owner });
        if let Some(innermost) = self.scopes.last_mut() {
            innermost.known.insert(name.text().to_owned(), index);
        }
        self.occurs(name, index, Access::Declare);
    }

    /// A name within this node.
    fn name(&mut self, node: &SyntaxNode, token: &SyntaxToken) {
        let is_first = name_of(node).is_some_and(|first| first == *token);
        match node.kind() {
            // These have been collected.
            SyntaxKind::Const | SyntaxKind::Enum | SyntaxKind::EnumMember | SyntaxKind::Version | SyntaxKind::Var if is_first => {}
            SyntaxKind::Request | SyntaxKind::Function if is_first => {}
            // This one has been seen to by the loop.
            SyntaxKind::ForExpr => {}
            SyntaxKind::Param if is_first => {
                let scope = self.scopes.last().map_or(self.file, |scope| scope.place);
                self.local(token, SymbolKind::Param, node, scope);
            }
            SyntaxKind::LocalArray if is_first => {
                let end = self.scopes.last().map_or(self.file, |scope| scope.place).end;
                self.local(token, SymbolKind::LocalArray, node, Span::new(span(node.text_range()).start, end));
            }
            SyntaxKind::MemberExpr if !is_first => self.member(node, token),
            SyntaxKind::Initial if is_first => self.resolved(token, Access::Declare),
            _ => {
                let access = access(node, token);
                self.resolved(token, access);
            }
        }
    }

    /// The second name of `State.Idle`.
    fn member(&mut self, node: &SyntaxNode, token: &SyntaxToken) {
        let owner = name_of(node).and_then(|name| self.declared.get(name.text()).copied());
        if let Some(&index) = owner.and_then(|owner| self.members.get(&(owner, token.text().to_owned()))) {
            self.occurs(token, index, Access::Read);
        }
    }

    /// An occurrence of whatever the name means here.
    fn resolved(&mut self, token: &SyntaxToken, access: Access) {
        let name = token.text();
        if !self.truth && matches!(name, "true" | "false") {
            return;
        }
        let inner = self.scopes.iter().rev().take_while(|scope| !scope.is_item);
        let declared = inner.into_iter().find_map(|scope| scope.known.get(name).copied());
        let of_item = || self.innermost_item()?.known.get(name).copied().filter(|&known| self.table.symbols[known].declaration.is_some());
        let known = declared.or_else(of_item).or_else(|| self.declared.get(name).copied());
        let index = match known {
            Some(index) => index,
            None => self.variable(token),
        };
        self.occurs(token, index, access);
    }

    fn innermost_item(&self) -> Option<&Scope> {
        self.scopes.iter().rev().find(|scope| scope.is_item)
    }

    /// The variable of this name that nothing declares.
    fn variable(&mut self, token: &SyntaxToken) -> usize {
        let (name, kind) = (token.text(), undeclared(token.text()));
        let is_called = token.parent().is_some_and(|node| node.kind() == SyntaxKind::CallExpr);
        let kind = if is_called { SymbolKind::Function } else { kind };
        let place = if kind.is_shared() { Some(0) } else { self.scopes.iter().rposition(|scope| scope.is_item) };
        let place = place.unwrap_or(0);
        if let Some(&known) = self.scopes[place].known.get(name) {
            return known;
        }
        let (scope, owner) = (self.scopes[place].place, self.item.filter(|_| !kind.is_shared()));
        let definition = span(token.text_range());
        let index = self.symbol(Symbol { name: name.to_owned(), kind, definition, declaration: None, scope, owner });
        self.scopes[place].known.insert(name.to_owned(), index);
        index
    }
}

/// What is done with the name that is this token of this node.
fn access(node: &SyntaxNode, token: &SyntaxToken) -> Access {
    let is_first = name_of(node).is_some_and(|first| first == *token);
    let target = match node.kind() {
        SyntaxKind::AssignExpr if is_first => return assigned(node),
        // `A[i] := e`, and `lock(L)`.
        SyntaxKind::IndexExpr | SyntaxKind::NameExpr if is_first => node.clone(),
        _ => return Access::Read,
    };
    let Some(parent) = target.parent() else { return Access::Read };
    match parent.kind() {
        SyntaxKind::AssignExpr if parent.first_child().as_ref() == Some(&target) && is_before_sign(&parent, &target) => assigned(&parent),
        SyntaxKind::LockExpr => Access::Both,
        SyntaxKind::UnlockExpr => Access::Write,
        _ => Access::Read,
    }
}

fn sign(node: &SyntaxNode) -> Option<SyntaxToken> {
    let is_sign = |token: &SyntaxToken| matches!(token.kind(), SyntaxKind::Assign | SyntaxKind::CompoundAssign);
    node.children_with_tokens().filter_map(SyntaxElement::into_token).find(is_sign)
}

fn is_before_sign(node: &SyntaxNode, part: &SyntaxNode) -> bool {
    sign(node).is_some_and(|sign| part.text_range().end() <= sign.text_range().start())
}

/// What `:=`, `+=` or `-=` does with what stands before it.
fn assigned(node: &SyntaxNode) -> Access {
    let is_compound = sign(node).is_some_and(|sign| sign.kind() == SyntaxKind::CompoundAssign);
    if is_compound { Access::Both } else { Access::Write }
}
