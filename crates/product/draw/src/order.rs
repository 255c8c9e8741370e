//! The order of vertices within layers: few crossings.
//!
//! Layers are sorted by the barycentres of the neighbours above and below in
//! turns, neighbours in a layer are exchanged where that helps, and the best order
//! that was met is kept (Eades and Wormald 1994; Gansner et al. 1993).

/// Vertices in layers; edges go from one layer to the next only.
#[derive(Clone, Debug)]
pub(crate) struct Layered {
    /// The vertices of each layer, from left to right.
    pub(crate) layers: Vec<Vec<usize>>,
    /// The neighbours of each vertex in the layer above.
    pub(crate) up: Vec<Vec<usize>>,
    /// The neighbours of each vertex in the layer below.
    pub(crate) down: Vec<Vec<usize>>,
}

/// How many rounds are tried at most, and how many without success.
const ROUNDS: usize = 32;
const PATIENCE: usize = 6;

impl Layered {
    /// Where each vertex stands in its layer.
    pub(crate) fn positions(&self) -> Vec<usize> {
        let mut position = vec![0; self.up.len()];
        for layer in &self.layers {
            for (at, &vertex) in layer.iter().enumerate() {
                position[vertex] = at;
            }
        }
        position
    }

    /// How many pairs of edges cross.
    pub(crate) fn crossings(&self) -> usize {
        let position = self.positions();
        let mut sum = 0;
        for pair in self.layers.windows(2) {
            let mut ends: Vec<(usize, usize)> = Vec::new();
            for &vertex in &pair[0] {
                ends.extend(self.down[vertex].iter().map(|&below| (position[vertex], position[below])));
            }
            ends.sort_unstable();
            // How many earlier edges end further right, by a tree of partial sums.
            let mut tree = vec![0_usize; pair[1].len() + 1];
            for (met, &(_, end)) in ends.iter().enumerate() {
                let (mut at, mut left) = (end + 1, 0);
                while at > 0 {
                    left += tree[at];
                    at &= at - 1;
                }
                sum += met - left;
                at = end + 1;
                while at < tree.len() {
                    tree[at] += 1;
                    at += at & at.wrapping_neg();
                }
            }
        }
        sum
    }

    /// Orders all layers.
    pub(crate) fn order(&mut self) {
        let mut best = (self.crossings(), self.layers.clone());
        let mut patience = PATIENCE;
        for round in 0..ROUNDS {
            if best.0 == 0 || patience == 0 {
                break;
            }
            self.sweep(round % 2 == 0, round % 4 >= 2);
            self.exchange();
            let crossings = self.crossings();
            patience -= 1;
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
                patience = PATIENCE;
            }
        }
        self.layers = best.1;
    }

    /// Sorts layer after layer by the barycentres of neighbours in the layer before,
    /// those with equal ones from the right if `mirrored`.
    fn sweep(&mut self, downwards: bool, mirrored: bool) {
        let mut position = self.positions();
        let count = self.layers.len();
        for step in 1..count {
            let at = if downwards { step } else { count - 1 - step };
            let neighbours = if downwards { &self.up } else { &self.down };
            let layer = &mut self.layers[at];
            if mirrored {
                layer.reverse();
            }
            // Barycentres in thousandths; vertices without neighbours stay about where they are.
            layer.sort_by_cached_key(|&vertex| {
                let near = &neighbours[vertex];
                if near.is_empty() {
                    position[vertex] * 1000
                } else {
                    near.iter().map(|&other| position[other] * 1000).sum::<usize>() / near.len()
                }
            });
            for (at, &vertex) in layer.iter().enumerate() {
                position[vertex] = at;
            }
        }
    }

    /// Exchanges neighbours in layers while that removes crossings.
    fn exchange(&mut self) {
        let mut position = self.positions();
        for _ in 0..8 {
            let mut better = false;
            for layer in &mut self.layers {
                let sorted = |near: &[usize]| {
                    let mut places: Vec<usize> = near.iter().map(|&other| position[other]).collect();
                    places.sort_unstable();
                    places
                };
                let mut places: Vec<(Vec<usize>, Vec<usize>)> =
                    layer.iter().map(|&vertex| (sorted(&self.up[vertex]), sorted(&self.down[vertex]))).collect();
                for at in 1..layer.len() {
                    let (left, right) = (&places[at - 1], &places[at]);
                    let now = inversions(&left.0, &right.0) + inversions(&left.1, &right.1);
                    let then = inversions(&right.0, &left.0) + inversions(&right.1, &left.1);
                    if then < now {
                        layer.swap(at - 1, at);
                        places.swap(at - 1, at);
                        better = true;
                    }
                }
                for (at, &vertex) in layer.iter().enumerate() {
                    position[vertex] = at;
                }
            }
            if !better {
                break;
            }
        }
    }
}

/// How many pairs of an element of each are in the wrong order.
fn inversions(left: &[usize], right: &[usize]) -> usize {
    let mut sum = 0;
    let mut below = 0;
    for place in left {
        while right.get(below).is_some_and(|other| other < place) {
            below += 1;
        }
        sum += below;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layered(layers: Vec<Vec<usize>>, edges: &[(usize, usize)]) -> Layered {
        let count = layers.iter().map(Vec::len).sum();
        let (mut up, mut down) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for &(above, below) in edges {
            down[above].push(below);
            up[below].push(above);
        }
        Layered { layers, up, down }
    }

    #[test]
    fn crossings_are_counted_and_removed() {
        let mut graph = layered(vec![vec![0, 1, 2], vec![3, 4, 5]], &[(0, 5), (1, 4), (2, 3)]);
        assert_eq!(graph.crossings(), 3);
        graph.order();
        assert_eq!(graph.crossings(), 0);
    }

    #[test]
    fn edges_to_one_vertex_do_not_cross() {
        assert_eq!(layered(vec![vec![0, 1], vec![2, 3]], &[(0, 2), (1, 2), (0, 3), (1, 3)]).crossings(), 1);
    }
}
