//! Functions that others can call: those that the module hands to something outside, and those that it exports.

use super::super::state::{FoundRequest, Made, Maker};
use super::super::values::{REC, Static, Val};
use crate::form::{Expr, FunId};

impl Maker<'_> {
    /// Functions that the module gives to something outside.
    pub(in crate::steps) fn handed(&mut self, path: &str, args: &[Val]) -> Made<()> {
        let method = path.rsplit('.').next().unwrap_or(path);
        let framework = ["express", "fastify", "koa"].into_iter().find(|name| path.to_lowercase().contains(name));
        let route =
            args.first().and_then(|first| first.tags.first().copied().filter(|_| first.tags.len() == 1)).and_then(|tag| self.text_of(tag));
        if let (Some(framework), Some(route), true) = (framework, route, ["get", "post", "put", "delete", "patch"].contains(&method))
            && let Some(Static::Function { id, this, .. }) = args.last().and_then(Val::statically)
        {
            let name = format!("{} {route}", method.to_uppercase());
            for between in &args[1..args.len() - 1] {
                if self.is_handed_out(between) {
                    return self.refuse("a function before the handler that touches what is shared", "call it in the handler");
                }
            }
            self.found.push(FoundRequest {
                name,
                function: *id,
                this: this.clone(),
                framework,
                span: self.span,
                handed: None,
                plugin: self.plugin.clone(),
            });
            return Ok(());
        }
        if framework == Some("fastify") && self.of_fastify(path, method, args)? {
            return Ok(());
        }
        for arg in args {
            if let Some(Static::Function { id, this, .. }) = arg.statically() {
                let count = self.handed_over.entry(path.to_owned()).or_insert(0);
                let number = *count;
                *count += 1;
                if self.touches(*id) && self.is_marked("request") {
                    let name = if number == 0 { path.to_owned() } else { format!("{path} {}", number + 1) };
                    let handed = Some((path.to_owned(), number));
                    self.found.push(FoundRequest {
                        name,
                        function: *id,
                        this: this.clone(),
                        framework: "handed",
                        span: self.span,
                        handed,
                        plugin: None,
                    });
                    continue;
                }
            }
            self.handed_part(path, arg)?;
            self.comes_out(arg, false);
        }
        Ok(())
    }

    /// Whether the statement of the module, or the call in it, is marked so.
    pub(super) fn is_marked(&self, word: &str) -> bool {
        let is_so = |at| self.directive(at).is_some_and(|text| text.starts_with(word));
        is_so(self.span.start) || is_so(self.statement)
    }

    /// A part of what something outside is given by the module.
    pub(super) fn handed_part(&mut self, path: &str, arg: &Val) -> Made<()> {
        match arg.statically() {
            Some(Static::Function { id, .. }) if self.touches(*id) => {
                let function = &self.module.function(*id).name;
                let named = if function.is_empty() { "a function".to_owned() } else { format!("`{function}`, a function") };
                let what = format!("{named} that `{path}` is given and that touches what is shared");
                if self.limits.requests.is_some() {
                    // It is said that the verdict is one without it.
                    self.left_out.push(format!("{named} that `{path}` is given"));
                    return Ok(());
                }
                return self.refuse(what, "mark the statement `/** @serval request */` or `/** @serval ignore */`");
            }
            Some(Static::Object(..) | Static::Map(_) | Static::Set(_) | Static::Array(_)) => {
                return self.refuse(format!("a shared object that `{path}` is given"), "give it a copy");
            }
            Some(Static::Builtin(shared)) if shared == "shared" => {
                return self.refuse(format!("a shared object that `{path}` is given"), "give it a copy");
            }
            Some(Static::Tuple(list)) => {
                for inner in list {
                    self.handed_part(path, inner)?;
                }
            }
            _ => {}
        }
        if arg.may_be(REC) && arg.place.is_some() {
            return self.refuse(format!("a shared object that `{path}` is given"), "give it a copy");
        }
        for inner in arg.fields.values() {
            self.handed_part(path, inner)?;
        }
        Ok(())
    }

    pub(super) fn exported(&mut self, name: &str, value: &Expr) -> Made<()> {
        self.span = value.span;
        let val = self.eval(value)?;
        if self.directive(value.span.start).is_some_and(|text| text.starts_with("ignore")) {
            return Ok(());
        }
        match val.statically() {
            Some(Static::Function { id, this, .. }) => {
                let at = self.module.function(*id).span;
                let ignored = self.directive(at.start).is_some_and(|text| text.starts_with("ignore"));
                if self.touches(*id) && !ignored && self.is_plugin(*id) {
                    return self.exported_plugin(name, *id);
                }
                if self.touches(*id) && !ignored {
                    self.callable(name.to_owned(), *id, this.clone());
                }
            }
            Some(Static::Object(_, Some(class))) => {
                for method in self.module.class(*class).methods.iter().filter(|method| !method.private) {
                    self.callable(format!("{name}.{}", method.name), method.function, Some(val.clone()));
                }
            }
            Some(Static::Object(..) | Static::Map(_) | Static::Set(_) | Static::Array(_)) => {
                return self.refuse(format!("`{name}`, a shared object that is exported"), "export functions that use it");
            }
            Some(Static::Class(class)) if self.class_touches(*class) => {
                let what = format!("`{name}`, a class that is exported and uses the state of the module");
                return self.refuse(what, "export an instance of it, or functions");
            }
            Some(Static::Builtin(shared)) if shared == "shared" => {
                return self.refuse(format!("`{name}`, a shared variable that is exported"), "export a function that reads it");
            }
            None if val.is_only(REC) => self.exported_functions(name, &val)?,
            _ => {}
        }
        Ok(())
    }

    /// A request that is exported under a name.
    fn callable(&mut self, name: String, function: FunId, this: Option<Val>) {
        let span = self.module.function(function).span;
        self.found.push(FoundRequest { name, function, this, framework: "", span, handed: None, plugin: None });
    }

    /// The functions of an object that is exported.
    fn exported_functions(&mut self, name: &str, val: &Val) -> Made<()> {
        for (inner, field) in val.fields.iter() {
            if field.is_only(REC) {
                self.exported_functions(&format!("{name}.{inner}"), field)?;
            } else if matches!(field.statically(), Some(known) if known.is_shared()) {
                return self.refuse(format!("`{name}.{inner}`, a shared object that is exported"), "export functions that use it");
            }
            if let Some(Static::Function { id, this, .. }) = field.statically()
                && self.touches(*id)
            {
                self.callable(format!("{name}.{inner}"), *id, this.clone());
            }
        }
        Ok(())
    }
}
