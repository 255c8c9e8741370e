//! A file as Node performs it: types are blanked out, so that lines and columns stay, and nothing else of the text
//! changes.
//!
//! There are two forms. The *module* is what Node loads. The *body* is the inside of a function, for many runs in one
//! process: imports are its parameters, and what is exported is named beside it; a module's code runs once and has no
//! `await` but of calls of the outside, which is left out, so that calling the function is loading the module. What
//! cannot be blanked has no form, and the file is not performed.

use oxc_ast::ast::{
    AccessorProperty, ArrowFunctionExpression, Class, ClassElement, Declaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind,
    ExportNamedDeclaration, Expression, FormalParameter, Function, ImportDeclaration, ImportDeclarationSpecifier, MethodDefinition,
    MethodDefinitionType, Program, PropertyDefinition, PropertyDefinitionType, Statement, TSAsExpression, TSEnumDeclaration,
    TSEnumMemberName, TSNonNullExpression, TSSatisfiesExpression, TSThisParameter, TSTypeAnnotation, TSTypeAssertion,
    TSTypeParameterDeclaration, TSTypeParameterInstantiation, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;
use serval_handlers::Performed;

use crate::statements::EnumValue;

/// The name that the default export gets where it has none.
const DEFAULT: &str = "$default";

pub(crate) fn performed(text: &str, program: &Program<'_>) -> Performed {
    let mut eraser = Eraser { text, types: Vec::new(), linking: Vec::new(), inserted: Vec::new(), made: Performed::default() };
    eraser.visit_program(program);
    for statement in &program.body {
        eraser.top(statement);
    }
    let Eraser { types, linking, inserted, mut made, .. } = eraser;
    made.module = blanked(text, &types, &[], &inserted);
    made.body = blanked(text, &types, &linking, &inserted);
    made
}

/// Whether a statement is `super(…)`.
fn calls_super(statement: &Statement<'_>) -> bool {
    let Statement::ExpressionStatement(statement) = statement else { return false };
    matches!(&statement.expression, Expression::CallExpression(call) if matches!(call.callee, Expression::Super(_)))
}

/// The text with blanks in these places, and other words in those: words are not longer than what they stand for.
fn blanked(text: &str, blank: &[Span], words: &[(Span, &str)], inserted: &[(u32, String)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let clear = |bytes: &mut Vec<u8>, at: Span| {
        let (start, end) = (at.start as usize, (at.end as usize).min(bytes.len()));
        // A character of several bytes is one blank, or two where it takes two units of sixteen bits.
        for byte in bytes.iter_mut().take(end).skip(start) {
            *byte = match *byte {
                b'\n' | b'\r' => *byte,
                0x80..=0xbf => 0,
                0xf0..=0xff => 1,
                _ => b' ',
            };
        }
    };
    blank.iter().for_each(|at| clear(&mut bytes, *at));
    for (at, word) in words {
        clear(&mut bytes, *at);
        for (place, byte) in word.bytes().enumerate() {
            if let Some(there) = bytes.get_mut(at.start as usize + place) {
                *there = byte;
            }
        }
    }
    let mut inserted = inserted.to_vec();
    inserted.sort();
    let mut out = Vec::with_capacity(bytes.len());
    let mut next = inserted.into_iter().peekable();
    for (place, byte) in bytes.into_iter().enumerate() {
        while let Some((_, words)) = next.next_if(|(at, _)| *at as usize == place) {
            out.extend(words.into_bytes());
        }
        match byte {
            0 => {}
            1 => out.extend(b"  "),
            byte => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

struct Eraser<'t> {
    text: &'t str,
    types: Vec<Span>,
    linking: Vec<(Span, &'static str)>,
    inserted: Vec<(u32, String)>,
    made: Performed,
}

impl Eraser<'_> {
    fn erase(&mut self, start: u32, end: u32) {
        if start < end {
            self.types.push(Span::new(start, end));
        }
    }

    /// The words between two places that are modifiers of types alone.
    fn modifiers(&mut self, start: u32, end: u32) {
        let Some(text) = self.text.get(start as usize..end as usize) else { return };
        let mut at = 0_usize;
        for word in text.split_inclusive(char::is_whitespace) {
            let bare = word.trim_end();
            if matches!(bare, "public" | "private" | "protected" | "readonly" | "override" | "declare" | "abstract") {
                let from = start + u32::try_from(at).unwrap_or(0);
                self.erase(from, from + u32::try_from(bare.len()).unwrap_or(0));
            }
            at += word.len();
        }
    }

    /// `?` or `!` behind a name.
    fn mark_behind(&mut self, start: u32, end: u32) {
        let Some(text) = self.text.get(start as usize..end as usize) else { return };
        if let Some(place) = text.find(['?', '!']) {
            let at = start + u32::try_from(place).unwrap_or(0);
            self.erase(at, at + 1);
        }
    }

    /// Imports and exports.
    fn top(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            // Nothing comes before the module has run, so that its body has no need to wait.
            Statement::ExpressionStatement(one) => {
                if let Expression::AwaitExpression(awaited) = &one.expression {
                    let start = awaited.span.start;
                    self.linking.push((Span::new(start, start + 5), ""));
                }
            }
            Statement::ExportDeclaration(export) => {
                if self.is_type(&export.declaration) {
                    return;
                }
                let start = export.declaration.span().start;
                self.linking.push((Span::new(export.span.start, start), ""));
                let mut names = Vec::new();
                match &export.declaration {
                    Declaration::VariableDeclaration(list) => {
                        for one in &list.declarations {
                            names.extend(one.id.get_binding_identifiers().iter().map(|id| id.name.to_string()));
                        }
                    }
                    other => names.extend(other.id().map(|id| id.name.to_string())),
                }
                self.made.exports.extend(names.into_iter().map(|name| (name.clone(), name)));
            }
            Statement::ExportNamedDeclaration(export) => self.export_list(export),
            Statement::ExportDefaultDeclaration(export) => self.export_default(export),
            Statement::ExportAllDeclaration(_) | Statement::ExportFromDeclaration(_) => {
                self.linking.push((statement.span(), ""));
            }
            _ => {}
        }
    }

    fn is_type(&self, declaration: &Declaration<'_>) -> bool {
        match declaration {
            Declaration::TSTypeAliasDeclaration(_) | Declaration::TSInterfaceDeclaration(_) => true,
            Declaration::FunctionDeclaration(function) => function.declare || function.body.is_none(),
            Declaration::VariableDeclaration(list) => list.declare,
            Declaration::ClassDeclaration(class) => class.declare,
            Declaration::TSEnumDeclaration(list) => list.declare,
            _ => false,
        }
    }

    fn import(&mut self, import: &ImportDeclaration<'_>) {
        self.linking.push((import.span, ""));
        if import.import_kind.is_type() {
            return;
        }
        let module = import.source.value.to_string();
        for specifier in import.specifiers.iter().flatten() {
            let (local, name) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(one) if one.import_kind.is_type() => {
                    continue;
                }
                ImportDeclarationSpecifier::ImportSpecifier(one) => (one.local.name.to_string(), one.imported.name().to_string()),
                ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => (one.local.name.to_string(), "default".to_owned()),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => (one.local.name.to_string(), "*".to_owned()),
            };
            self.made.imports.push((local, module.clone(), name));
        }
    }

    fn export_list(&mut self, export: &ExportNamedDeclaration<'_>) {
        self.linking.push((export.span, ""));
        if export.export_kind.is_type() {
            return;
        }
        for one in export.specifiers.iter().filter(|one| !one.export_kind.is_type()) {
            self.made.exports.push((one.exported.name().to_string(), one.local.name().to_string()));
        }
    }

    fn export_default(&mut self, export: &ExportDefaultDeclaration<'_>) {
        let (name, start) = match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => (function.id.as_ref(), function.span.start),
            ExportDefaultDeclarationKind::ClassDeclaration(class) => (class.id.as_ref(), class.span.start),
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => return,
            other => (None, other.span().start),
        };
        let at = Span::new(export.span.start, start);
        match name {
            Some(name) => {
                self.linking.push((at, ""));
                self.made.exports.push(("default".to_owned(), name.name.to_string()));
            }
            // As long as `export default`, and one blank.
            None => {
                self.linking.push((at, "var $default ="));
                self.made.exports.push(("default".to_owned(), DEFAULT.to_owned()));
            }
        }
    }

    fn class_element(&mut self, start: u32, key: u32, key_end: u32, value: u32) {
        self.modifiers(start, key);
        self.mark_behind(key_end, value);
    }
}

impl<'a> Visit<'a> for Eraser<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        let types = match it {
            Statement::TSTypeAliasDeclaration(_) | Statement::TSInterfaceDeclaration(_) => true,
            Statement::TSGlobalDeclaration(_) | Statement::TSExternalModuleDeclaration(_) => true,
            Statement::TSNamespaceDeclaration(one) => one.declare,
            Statement::FunctionDeclaration(function) => function.declare || function.body.is_none(),
            Statement::VariableDeclaration(list) => list.declare,
            Statement::ClassDeclaration(class) => class.declare,
            Statement::ImportDeclaration(import) => import.import_kind.is_type(),
            Statement::ExportNamedDeclaration(export) => export.export_kind.is_type(),
            Statement::ExportAllDeclaration(export) => export.export_kind.is_type(),
            Statement::ExportDeclaration(export) => self.is_type(&export.declaration),
            Statement::ExportDefaultDeclaration(export) => {
                matches!(export.declaration, ExportDefaultDeclarationKind::TSInterfaceDeclaration(_))
            }
            _ => false,
        };
        if types {
            let at = it.span();
            self.erase(at.start, at.end);
            return;
        }
        if matches!(it, Statement::TSNamespaceDeclaration(_)) {
            self.made.obstacle = Some("a namespace");
        }
        walk::walk_statement(self, it);
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        if it
            .specifiers
            .iter()
            .flatten()
            .any(|one| matches!(one, ImportDeclarationSpecifier::ImportSpecifier(one) if one.import_kind.is_type()))
        {
            self.made.obstacle = Some("`type` inside of an import");
        }
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        match crate::statements::enum_values(it) {
            _ if it.declare => self.erase(it.span.start, it.span.end),
            Some(values) => {
                let written = |at: Span| self.text.get(at.start as usize..at.end as usize).unwrap_or_default();
                let mut fields = Vec::new();
                for (member, (name, value)) in it.body.members.iter().zip(&values) {
                    // As it is written, so that it needs no quotes of ours.
                    let quoted = match &member.id {
                        TSEnumMemberName::Identifier(_) => format!("\"{name}\""),
                        other => written(other.span()).to_owned(),
                    };
                    match (value, &member.initializer) {
                        (EnumValue::Number(number), _) => fields.push(format!("{quoted}:{number},\"{number}\":{quoted}")),
                        (EnumValue::Text(_), initializer) => {
                            fields.push(format!("{quoted}:{}", initializer.as_ref().map_or("", |value| written(value.span()))));
                        }
                    }
                }
                let text = format!("var {}={{{}}};", it.id.name, fields.join(","));
                self.erase(it.span.start, it.span.end);
                self.inserted.push((it.span.start, text));
            }
            None => self.made.obstacle = Some("an enum whose values are computed"),
        }
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        // From the colon on.
        let before = self.text.get(..it.span.start as usize).unwrap_or_default();
        let start = if self.text.as_bytes().get(it.span.start as usize) == Some(&b':') {
            it.span.start
        } else {
            before.rfind(':').and_then(|at| u32::try_from(at).ok()).unwrap_or(it.span.start)
        };
        self.erase(start, it.span.end);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.erase(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.erase(it.span.start, it.span.end);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.erase(it.expression.span().end, it.span.end);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.erase(it.expression.span().end, it.span.end);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        self.erase(it.span.start, it.expression.span().start);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.erase(it.span.end.saturating_sub(1), it.span.end);
    }

    fn visit_ts_this_parameter(&mut self, _: &TSThisParameter<'a>) {
        self.made.obstacle = Some("a parameter `this`");
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        let name = it.pattern.span();
        if it.optional {
            let end = it.type_annotation.as_ref().map_or(it.span.end, |one| one.span.start.max(name.end) + 1);
            self.mark_behind(name.end, end);
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.mark_behind(it.id.span().end, it.span.end);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        walk::walk_function(self, it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        walk::walk_arrow_function_expression(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        let body = it.body.span.start;
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            let before = self.text.get(..first.span.start as usize).unwrap_or_default();
            let start = before.rfind("implements").and_then(|at| u32::try_from(at).ok()).unwrap_or(first.span.start);
            self.erase(start, last.span.end.min(body));
        }
        if it.r#abstract {
            self.modifiers(it.span.start, it.id.as_ref().map_or(body, |id| id.span.start));
        }
        if !it.decorators.is_empty() {
            self.made.obstacle = Some("a decorator");
        }
        walk::walk_class(self, it);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        match it {
            ClassElement::TSIndexSignature(one) => return self.erase(one.span.start, one.span.end),
            ClassElement::MethodDefinition(one)
                if one.r#type == MethodDefinitionType::TSAbstractMethodDefinition || one.value.body.is_none() =>
            {
                return self.erase(one.span.start, one.span.end);
            }
            ClassElement::PropertyDefinition(one) if one.declare || one.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition => {
                return self.erase(one.span.start, one.span.end);
            }
            _ => {}
        }
        walk::walk_class_element(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        let key = it.key.span();
        self.class_element(it.span.start, key.start, key.end, it.value.params.span.start);
        // Parameters that are fields.
        let mut fields = String::new();
        for parameter in &it.value.params.items {
            if parameter.accessibility.is_some() || parameter.readonly || parameter.r#override {
                self.modifiers(parameter.span.start, parameter.pattern.span().start);
                if let Some(name) = parameter.pattern.get_identifier_name() {
                    fields.push_str(&format!("this.{name}={name};"));
                }
            }
        }
        if let Some(body) = it.value.body.as_ref().filter(|_| !fields.is_empty()) {
            // There is no `this` before the class above has made it.
            match body.statements.iter().find(|one| calls_super(one)) {
                Some(call) => self.inserted.push((call.span().end, format!(";{fields}"))),
                None => self.inserted.push((body.span.start + 1, fields)),
            }
        }
        walk::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        let key = it.key.span();
        let value = it.value.as_ref().map_or(it.span.end, |value| value.span().start);
        let value = it.type_annotation.as_ref().map_or(value, |one| one.span.start + 1);
        self.class_element(it.span.start, key.start, key.end, value.min(it.span.end));
        walk::walk_property_definition(self, it);
    }

    fn visit_accessor_property(&mut self, _: &AccessorProperty<'a>) {
        self.made.obstacle = Some("`accessor`");
    }
}
