//! The conformance suite that every backend runs in its tests: one function per rule, named as a
//! sentence.
//!
//! A backend passes a function that opens it in an empty directory to
//! [`crate::conformance_suite`]; each rule becomes a test of its own. Behaviour beyond the contract
//! is left to the backend's own tests.
#![allow(missing_docs, reason = "the name of a rule is its sentence")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a broken rule fails its test"
)]

pub mod access;
pub mod audit;
pub mod batches;
pub mod bounds;
pub mod build;
pub mod care;
pub mod clients;
pub mod duplicates;
pub mod entities;
pub mod fixture;
pub mod forgetting;
pub mod handoffs;
pub mod idempotency;
pub mod kept;
pub mod links;
pub mod listing;
pub mod memories;
pub mod owners;
pub mod play;
pub mod profile;
pub mod records;
pub mod references;
pub mod relations;
pub mod reviews;
pub mod sessions;
pub mod standing;
pub mod usage;
pub mod view;

pub use fixture::{Backend, Fixture, check};

/// Generates a test for every rule.
///
/// Takes the path of an `async fn(home: &Path) -> impl Store + Control + Clients` that opens a
/// store in the directory, and opens the same store when called again. A backend without files
/// derives a name from the path.
#[macro_export]
macro_rules! conformance_suite {
    ($open:path) => {
        $crate::conformance_suite!(@rules $open, batches {
            every_batch_gets_the_next_sequence_number
            a_batch_answers_once_for_each_change_in_order
            a_failing_change_at_the_end_leaves_no_trace_of_the_batch
            the_next_batch_after_a_refused_one_gets_the_next_number
            every_write_has_its_audit_event
            a_later_change_may_refer_to_what_an_earlier_one_made
            a_reference_to_a_duplicate_means_the_memory_that_was_found
            a_reference_to_a_change_that_makes_no_such_thing_is_refused
            a_batch_of_too_many_changes_is_refused
            a_change_that_names_something_unknown_is_refused
            a_write_through_one_handle_is_read_through_another
            many_writers_on_two_handles_lose_nothing_and_share_no_number
            a_refused_batch_among_racing_ones_takes_nothing_with_it
        });
        $crate::conformance_suite!(@rules $open, clients {
            a_client_is_found_by_its_id_as_it_registered
            a_client_that_comes_again_is_kept_as_it_is_now
            no_more_clients_are_kept_than_there_is_room_for
            a_token_is_found_by_its_hash_with_what_the_owner_agreed_to
            a_refresh_token_gives_a_new_pair_and_ends_the_old_one
            a_refresh_token_that_is_shown_twice_takes_its_family_back
            a_refresh_token_gives_nothing_to_another_client_or_after_its_end
            an_access_token_never_refreshes
            of_many_that_show_one_refresh_token_at_once_one_gets_a_pair
            a_family_is_taken_back_only_by_its_owner
            erasing_an_owner_ends_every_token_of_theirs
            sweeping_removes_what_ended_and_clients_that_never_got_anything
        });
        $crate::conformance_suite!(@rules $open, idempotency {
            the_same_key_writes_once_and_answers_twice
            a_replay_is_known_through_another_handle
            a_replay_answers_with_a_receipt_too
            the_same_key_with_another_request_is_refused
            the_same_key_of_another_agent_is_another_key
            a_refused_batch_does_not_use_its_key_up
            twenty_retries_at_once_write_once
            a_key_longer_than_the_limit_is_refused
            old_keys_are_given_up_and_young_ones_still_answer
        });
        $crate::conformance_suite!(@rules $open, memories {
            a_memory_reads_back_as_it_was_written
            every_dialect_origin_and_status_reads_back
            memories_come_in_the_order_asked_and_unknown_ones_are_left_out
            an_edit_changes_the_fields_it_names_and_no_other
            an_edit_can_remove_what_is_optional
            leaving_active_notes_when_and_entering_it_clears_that
            superseding_ends_the_old_memory_and_links_the_new_one_to_it
            a_memory_does_not_supersede_itself
            a_text_is_found_again_however_it_is_typed
            a_memory_of_an_unknown_session_is_refused
            an_empty_text_is_refused
        });
        $crate::conformance_suite!(@rules $open, duplicates {
            what_is_there_already_is_answered_and_not_written
            the_second_of_two_equal_texts_in_a_batch_is_a_duplicate
            the_same_text_elsewhere_is_no_duplicate
            only_an_active_memory_has_duplicates
            a_duplicate_can_be_kept
            within_a_session_only_its_own_memories_are_duplicates
            across_sessions_the_text_counts_alone
            racing_writers_of_one_text_write_it_once
        });
        $crate::conformance_suite!(@rules $open, listing {
            the_newest_memory_comes_first_unless_asked_otherwise
            memories_come_by_confidence_importance_or_use
            each_filter_narrows_the_listing
            memories_of_one_agent_can_be_listed
            pages_follow_each_other_and_know_the_total
            no_page_is_larger_than_the_cap
            no_filter_is_read_as_an_expression
        });
        $crate::conformance_suite!(@rules $open, forgetting {
            the_receipt_counts_what_went_from_each_place
            forgetting_reaches_the_memory_and_its_surroundings
            forgetting_reaches_the_rows_that_were_written_with_it
            forgetting_reaches_what_was_said_of_entities
            forgetting_reaches_reviews_and_sessions
            the_audit_log_survives_forgetting
            an_id_is_never_given_twice
            memories_that_are_not_there_are_passed_over
            a_forgotten_text_is_known_by_its_hash_alone
            a_forgotten_text_is_not_written_again_silently
            a_forgotten_text_is_written_again_when_somebody_decides_so
        });
        $crate::conformance_suite!(@rules $open, links {
            a_link_is_seen_from_both_ends
            a_link_that_is_there_gets_the_new_weight
            a_link_can_be_removed
            a_link_from_a_memory_to_itself_is_refused
            a_weight_outside_zero_to_one_is_refused
            a_memory_has_no_more_links_out_than_the_limit
            links_of_an_unknown_memory_are_none
        });
        $crate::conformance_suite!(@rules $open, view {
            an_empty_store_has_no_changes
            an_entry_tells_the_memory_with_links_entities_and_vectors
            only_what_changed_after_the_number_is_told
            a_change_to_no_memory_still_moves_the_number_on
            whatever_touches_a_memory_tells_it_again
            both_sides_of_a_supersession_are_told
            what_becomes_of_an_entity_is_told_with_its_memories
            what_is_gone_is_told_as_removed
            no_page_of_changes_holds_half_a_batch
            paging_tells_removals_and_late_changes_once_through
            a_vector_reads_back_and_can_be_replaced
            memories_without_a_vector_of_the_model_are_found
            changes_by_another_handle_are_told
            an_entity_alone_touches_no_memory
        });
        $crate::conformance_suite!(@rules $open, sessions {
            a_session_reads_back_as_it_was_begun
            a_known_key_takes_the_session_up_again
            a_known_number_takes_the_session_up_again
            sessions_without_a_key_are_always_new
            racing_starts_under_one_key_begin_one_session
            an_end_notes_when_and_the_episode
            an_end_needs_no_episode
            the_session_begun_last_comes_first
            a_session_number_below_one_is_refused
        });
        $crate::conformance_suite!(@rules $open, entities {
            an_entity_reads_back_as_it_was_put
            a_name_finds_its_entity_whatever_the_case
            an_entity_of_no_kind_is_an_entity_and_a_known_kind_stays
            an_entity_of_no_kind_gets_the_first_kind_that_is_told
            a_card_has_every_name_and_what_still_stands
            one_name_of_two_kinds_is_two_entities
            putting_an_entity_again_merges_its_properties
            a_renamed_entity_is_found_under_both_names
            a_mention_is_read_from_both_ends
            the_same_mention_counts_once
            merging_moves_mentions_and_the_name_becomes_an_alias
            a_removed_entity_takes_its_mentions_with_it
            entities_come_in_the_order_asked
            entities_are_listed_by_name_part_and_kind_most_mentioned_first
        });
        $crate::conformance_suite!(@rules $open, relations {
            an_observation_reads_back_newest_first
            the_same_text_of_the_same_entity_exists_once
            a_relation_reads_back_from_both_ends
            a_relation_that_is_there_grows_up_to_ten
            the_other_direction_is_another_relation
            an_observation_or_relation_of_something_unknown_is_refused
            merging_moves_observations_and_relations
            a_removed_entity_takes_what_was_said_with_it
        });
        $crate::conformance_suite!(@rules $open, records {
            a_row_reads_back_with_its_memory
            a_table_appears_with_its_first_row_and_widens
            a_description_is_kept_when_the_table_has_none
            tables_are_listed_by_name
            each_table_counts_its_own_rows
            a_row_number_is_never_given_twice
            a_table_outlives_its_rows
            an_update_merges_and_widens
            deleting_a_row_leaves_its_memory
            rows_are_paged_by_their_numbers
            the_rows_that_changed_are_told_after_a_number
            a_row_whose_memory_changed_is_told_with_its_state
            changed_rows_are_paged_by_their_numbers
            a_malformed_row_is_refused
            a_row_of_an_unknown_memory_is_refused
            a_row_of_another_table_is_not_touched
        });
        $crate::conformance_suite!(@rules $open, profile {
            there_is_no_profile_at_first
            a_patch_makes_a_version_that_names_what_changed
            nothing_changed_makes_no_version
            every_version_is_kept_newest_first
            an_erased_field_is_in_no_version_and_in_no_reason
        });
        $crate::conformance_suite!(@rules $open, kept {
            a_kept_memory_reads_back_as_it_was
            a_kept_thing_gets_the_next_number_where_its_own_is_or_was_taken
            every_other_kept_thing_reads_back_as_it_was
            kept_tables_and_their_rows_read_back_as_they_were
            kept_handoffs_reviews_and_versions_read_back_as_they_were
            a_kept_thing_that_names_something_unknown_is_refused
        });
        $crate::conformance_suite!(@rules $open, handoffs {
            a_handoff_reads_back_as_it_was_stored
            a_claim_is_a_lease_of_its_author
            exactly_one_of_twenty_racing_claims_wins_and_the_others_see_who
            the_holder_may_claim_again_to_extend_the_lease
            a_lease_that_ran_out_is_free_for_anybody
            only_the_holder_releases_unless_anyone_may
            only_the_holder_completes_unless_anyone_may
            a_handoff_is_cancelled_unless_somebody_else_holds_it
            what_is_settled_is_claimed_only_after_it_was_reopened
            only_what_is_settled_can_be_reopened
            handoffs_are_listed_by_state_freedom_and_place_newest_first
        });
        $crate::conformance_suite!(@rules $open, references {
            a_document_reads_back_with_its_sections_and_vectors
            a_document_takes_the_place_of_the_one_at_its_path
            a_removed_document_takes_its_sections_with_it
            documents_are_listed_by_path
            sections_are_paged_in_the_order_of_document_and_ordinal
            no_page_of_sections_is_larger_than_the_cap
            only_a_change_to_a_document_moves_their_number
            a_path_that_leaves_the_references_is_refused
        });
        $crate::conformance_suite!(@rules $open, reviews {
            a_review_item_reads_back_as_it_was_raised
            a_review_item_needs_no_memory
            a_review_item_is_decided_once
            review_items_are_listed_by_state_kind_and_memory_newest_first
            a_flag_counts_until_it_is_settled
            settling_a_memory_without_flags_is_fine
            a_decided_item_waits_again_once_it_is_reopened
            a_memory_is_put_back_to_the_status_it_had
            flags_that_were_settled_are_opened_again
        });
        $crate::conformance_suite!(@rules $open, owners {
            an_owner_never_sees_what_is_anothers
            two_owners_count_their_ids_apart
            owners_are_listed_by_name_and_made_once
            erasing_an_owner_leaves_nothing_and_touches_no_other
            an_owners_store_keeps_its_identity
            a_key_is_found_by_its_hash
            keys_are_listed_newest_first_and_only_the_owners
            a_key_is_taken_back_only_by_its_owner
            a_key_remembers_its_last_use
            a_key_ends_when_its_owner_says_and_never_later_than_before
        });
        $crate::conformance_suite!(@rules $open, access {
            grants_are_listed_by_agent_and_resource
            a_grant_stands_in_place_of_the_one_before
            a_grant_can_be_taken_back
            a_workspace_numbers_its_contexts_from_one
            workspaces_are_listed_by_number
            a_context_of_an_unknown_workspace_is_refused
            a_setting_keeps_the_value_written_last
        });
        $crate::conformance_suite!(@rules $open, audit {
            a_use_counts_without_a_sequence_number
            a_use_has_its_audit_event
            a_use_of_a_memory_that_is_gone_is_still_noted
            events_are_listed_by_every_filter_newest_first
            the_log_is_paged_and_its_numbers_grow
        });
        $crate::conformance_suite!(@rules $open, usage {
            a_memory_tells_to_whom_it_was_shown_lately
            what_agents_asked_and_got_is_counted_by_day
            a_question_is_kept_while_it_finds_nothing
            only_so_many_questions_are_kept
        });
        $crate::conformance_suite!(@rules $open, standing {
            an_edit_of_what_changed_meanwhile_changes_nothing
            of_many_edits_of_one_version_exactly_one_is_made
            erasing_everything_leaves_nothing_but_the_log_and_the_rules
        });
        $crate::conformance_suite!(@rules $open, bounds {
            a_memory_past_a_limit_is_refused
            a_memory_at_its_limits_is_written
            an_edit_past_a_limit_is_refused
            numbers_out_of_range_are_refused
            sessions_handoffs_and_documents_past_a_limit_are_refused
            entities_past_a_limit_are_refused
            rows_past_a_limit_are_refused
            a_table_gets_no_more_columns_than_the_limit
            an_owner_gets_no_more_tables_than_the_limit
            an_update_that_grows_a_row_past_its_limit_is_refused
            a_profile_past_a_limit_is_refused
            reasons_past_a_limit_are_refused
        });
        $crate::conformance_suite!(@rules $open, care {
            counts_tell_how_much_there_is_of_everything
            a_store_in_use_is_sound
            compacting_loses_nothing
            a_backup_is_made_once_at_a_place
        });

        #[test]
        fn random_batches_do_to_the_store_what_they_do_to_the_model() {
            $crate::play::random_batches($open, 24);
        }
    };
    (@rules $open:path, $module:ident { $($rule:ident)* }) => {
        mod $module {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[test]
                fn $rule() {
                    $crate::check($open, $crate::$module::$rule);
                }
            )*
        }
    };
}

#[cfg(test)]
mod tests {
    /// A rule that is written and not listed would never run.
    #[test]
    fn every_rule_is_in_the_suite() {
        let suite = include_str!("lib.rs");
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let source =
                if file.is_file() { std::fs::read_to_string(&file).unwrap() } else { continue };
            for line in source.lines().filter_map(|line| line.strip_prefix("pub async fn ")) {
                let rule = line.split('(').next().unwrap();
                assert!(
                    suite.contains(&format!("            {rule}\n")),
                    "{rule} of {}",
                    file.display()
                );
            }
        }
    }
}
