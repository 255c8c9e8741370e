//! Graphs as lists of successors: by vertex, where its edges lead.

/// Which vertices can be reached from one, which is one of them.
///
/// ```
/// use serval_states::graph::reached;
/// assert_eq!(reached(&[vec![1], vec![], vec![0]], 0), [true, true, false]);
/// ```
pub fn reached(next: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut seen = vec![false; next.len()];
    let mut open = vec![from];
    seen[from] = true;
    while let Some(vertex) = open.pop() {
        for &to in &next[vertex] {
            if !std::mem::replace(&mut seen[to], true) {
                open.push(to);
            }
        }
    }
    seen
}

/// The same graph with all edges turned round.
pub fn turned(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); next.len()];
    for (vertex, edges) in next.iter().enumerate() {
        edges.iter().for_each(|&to| before[to].push(vertex));
    }
    before
}

/// Numbers of the vertices, the same just for those of one strongly connected part, that do not fall along edges
/// (Kosaraju). Of parts between which no edge leads, those come first whose vertices `first` names: what leads to a
/// vertex that it names it must name, too.
///
/// ```
/// use serval_states::graph::parts;
/// assert_eq!(parts(&[vec![1], vec![0, 2], vec![]], |_| true), [0, 0, 1]);
/// ```
pub fn parts(next: &[Vec<usize>], first: impl Fn(usize) -> bool) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let before = turned(next);
    let (mut numbers, mut count) = (vec![NONE; next.len()], 0);
    let done = done(next);
    for is_first in [true, false] {
        // The last that is done begins a part that nothing else comes to.
        for &root in done.iter().rev() {
            if numbers[root] != NONE || first(root) != is_first {
                continue;
            }
            let mut open = vec![root];
            numbers[root] = count;
            while let Some(vertex) = open.pop() {
                for &from in &before[vertex] {
                    if numbers[from] == NONE && first(from) == is_first {
                        numbers[from] = count;
                        open.push(from);
                    }
                }
            }
            count += 1;
        }
    }
    numbers
}

/// The vertices in the order in which a search, depth first, is done with them. It keeps its way itself: ways may be
/// long.
fn done(next: &[Vec<usize>]) -> Vec<usize> {
    let (mut done, mut seen) = (Vec::with_capacity(next.len()), vec![false; next.len()]);
    for root in 0..next.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut way = vec![(root, 0)];
        while let Some((vertex, at)) = way.last_mut() {
            match next[*vertex].get(*at) {
                None => {
                    done.push(*vertex);
                    way.pop();
                }
                Some(&to) => {
                    *at += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        way.push((to, 0));
                    }
                }
            }
        }
    }
    done
}
