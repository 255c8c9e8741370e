//! Routes of Fastify that are objects, and plugins: functions that register routes of an instance that they are given.
//!
//! A plugin runs before all requests, as the module does. What it declares itself lies in a call, and is refused where
//! a handler uses it; the instance and the options are outside.

use super::super::state::{FoundRequest, Made, Maker};
use super::super::values::{REC, Static, Val};
use crate::form::{ExprKind, FunId, Stmt, StmtKind};

const METHODS: [&str; 5] = ["get", "post", "put", "delete", "patch"];

impl Maker<'_> {
    /// `route({ … })` and `register(plugin)`; says whether it was one of them.
    pub(super) fn of_fastify(&mut self, path: &str, method: &str, args: &[Val]) -> Made<bool> {
        match (method, args) {
            ("route", [route]) if route.is_only(REC) => self.route_object(route),
            ("register", [plugin, rest @ ..]) => {
                let Some(Static::Function { id, .. }) = plugin.statically() else { return Ok(false) };
                let id = *id;
                for arg in rest {
                    self.handed_part(path, arg)?;
                }
                self.run_plugin(id, path.strip_suffix(".register").unwrap_or(path))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn route_object(&mut self, route: &Val) -> Made<bool> {
        let text = |name: &str| {
            let val = route.fields.get(name)?;
            val.tags.first().copied().filter(|_| val.tags.len() == 1 && val.origins.is_empty()).and_then(|tag| self.text_of(tag))
        };
        let (Some(method), Some(url)) = (text("method"), text("url").or_else(|| text("path"))) else { return Ok(false) };
        let Some(Static::Function { id, this, .. }) = route.fields.get("handler").and_then(Val::statically) else { return Ok(false) };
        let known = METHODS.contains(&method.to_lowercase().as_str());
        if !known {
            return Ok(false);
        }
        if route.fields.iter().any(|(name, field)| name != "handler" && self.is_handed_out(field)) {
            return self.refuse("a function before the handler that touches what is shared", "call it in the handler");
        }
        let (name, function, this) = (format!("{} {url}", method.to_uppercase()), *id, this.clone());
        let plugin = self.plugin.clone();
        self.found.push(FoundRequest { name, function, this, framework: "fastify", span: self.span, handed: None, plugin });
        Ok(true)
    }

    /// Whether an exported function is a plugin: `async`, and it gives handlers to its first parameter.
    pub(super) fn is_plugin(&self, id: FunId) -> bool {
        let function = self.module.function(id);
        let Some(first) = function.params.first() else { return false };
        let registers = |one: &Stmt| {
            let StmtKind::Expr(e) = &one.kind else { return false };
            let called = if let ExprKind::Await(inner) = &e.kind { inner } else { e };
            let ExprKind::Call(callee, items) = &called.kind else { return false };
            let ExprKind::Member(object, name) = &callee.kind else { return false };
            let is_first = matches!(&object.kind, ExprKind::Var(of) if of == first);
            is_first && !items.is_empty() && (METHODS.contains(&name.as_str()) || name == "route" || name == "register")
        };
        function.is_async && function.body.iter().any(registers)
    }

    /// A plugin that is exported: what it registers are requests.
    pub(super) fn exported_plugin(&mut self, name: &str, id: FunId) -> Made<()> {
        if self.plugged.contains(&id) {
            return Ok(());
        }
        self.plugin = Some(name.to_owned());
        let made = self.run_plugin(id, "fastify()");
        self.plugin = None;
        made
    }

    fn run_plugin(&mut self, id: FunId, instance: &str) -> Made<()> {
        if !self.plugged.insert(id) {
            return self.refuse("a plugin that is registered twice", "register it once");
        }
        let function = self.module.function(id);
        let args = [Val::known(Static::Outside(instance.to_owned())), Val::known(Static::Outside("options".to_owned()))];
        for (parameter, val) in function.params.iter().zip(&args) {
            self.plugin_vals.insert(*parameter, val.clone());
        }
        let outer = std::mem::replace(&mut self.in_plugin, true);
        let made = self.inline(id, 0, None, args.to_vec());
        self.in_plugin = outer;
        made.map(|_| ())
    }
}
