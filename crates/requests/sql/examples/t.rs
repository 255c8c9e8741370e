fn main(){ let d=std::env::args().nth(1).unwrap(); let lvl=std::env::args().nth(2).unwrap(); let form=std::env::args().nth(3).unwrap();
 let mut files=vec![]; for e in std::fs::read_dir(&d).unwrap(){ let p=e.unwrap().path(); if p.extension().is_some_and(|x| x=="sql"){ files.push((p.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&p).unwrap())); } }
 files.push(("settings".to_owned(), format!("force {lvl}\n")));
 let b=serval_sql::bundle(&files); let r=serval_sql::read(&b); for d in &r.diagnostics { eprintln!("{} {} {:?}", d.code, d.message, &b[d.primary.span.range()].chars().take(60).collect::<String>()); }
 let Some(w)=r.workload else { std::process::exit(2) };
 match serval_sql::translate(&w, if form=="exact" {serval_sql::Form::Exact} else {serval_sql::Form::Unguarded}) { Ok(t)=>println!("{}", serval_syntax::core_text(&t.program)), Err(e)=>for d in e { eprintln!("{} {} {:?}", d.code, d.message, &b[d.primary.span.range()].chars().take(60).collect::<String>()); } } }
