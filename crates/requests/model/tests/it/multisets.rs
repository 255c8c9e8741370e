//! Multisets against sorted lists.

use proptest::prelude::*;
use serval_model::{CountOverflow, Multiset};

fn sorted(mut list: Vec<u8>) -> Vec<u8> {
    list.sort_unstable();
    list
}

fn listed(bag: &Multiset<u8>) -> Vec<u8> {
    bag.iter().flat_map(|(&element, count)| (0..count).map(move |_| element)).collect()
}

proptest! {
    #![proptest_config(crate::cases(serval_effort::sweep("model.multisets", 128, 256)))]

    #[test]
    fn behaves_like_a_sorted_list(list in prop::collection::vec(0..5u8, 0..12), other in prop::collection::vec(0..5u8, 0..12), element in 0..5u8) {
        let bag: Multiset<u8> = list.iter().copied().collect();
        let other_bag: Multiset<u8> = other.iter().copied().collect();
        bag.check_invariants();
        prop_assert_eq!(listed(&bag), sorted(list.clone()));
        prop_assert_eq!(bag.size(), list.len() as u128);

        let mut one_by_one = Multiset::new();
        one_by_one.extend(list.iter().copied());
        prop_assert_eq!(&one_by_one, &bag);

        prop_assert_eq!(listed(&bag.with(element)), sorted([&list[..], &[element]].concat()));
        prop_assert_eq!(bag.with(element).without(&element), Some(bag.clone()));
        prop_assert_eq!(bag.without(&element).is_some(), list.contains(&element));

        let sum = bag.sum(&other_bag).unwrap();
        sum.check_invariants();
        prop_assert_eq!(listed(&sum), sorted([list, other].concat()));
        prop_assert!(bag.is_subset(&sum));
        prop_assert_eq!(sum.is_subset(&bag), other_bag.is_empty());
        prop_assert_eq!(sum, other_bag.sum(&bag).unwrap());
    }
}

#[test]
fn counts_do_not_wrap() {
    let mut bag = Multiset::new();
    assert_eq!(bag.insert_many('a', u64::MAX), Ok(()));
    assert_eq!(bag.insert_many('a', 1), Err(CountOverflow));
    bag.insert('a');
    assert_eq!(bag.count(&'a'), u64::MAX);
    assert_eq!(bag.sum(&bag), Err(CountOverflow));
    assert_eq!(bag.insert_many('b', 0), Ok(()));
    assert_eq!((bag.distinct(), bag.size()), (1, u128::from(u64::MAX)));
    bag.check_invariants();
}
