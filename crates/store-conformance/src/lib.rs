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
pub mod builders;
pub mod clients;
pub mod duplicates;
pub mod entities;
pub mod expected_version;
pub mod expiring;
pub mod fixture;
pub mod forgetting;
pub mod handoffs;
pub mod idempotency;
pub mod import;
pub mod job_files;
pub mod links;
pub mod listing;
pub mod maintenance;
pub mod memories;
pub mod merges;
pub mod owners;
pub mod profile;
pub mod property_test;
pub mod record_versions;
pub mod records;
pub mod references;
pub mod relations;
pub mod remaking;
pub mod reviews;
pub mod sessions;
pub mod snapshots;
pub mod supersession;
pub mod usage;
pub mod view;

pub use fixture::{StoreBackend, StoreFixture, check};

/// Returns true: most backends need nothing to run.
#[must_use]
pub fn always() -> bool {
    true
}

/// Generates a test for every rule.
///
/// Takes the path of an `async fn(home: &Path) -> impl Store + Control + Clients` that opens a
/// store in the directory, and opens the same store when called again. A backend without files
/// derives a name from the path. One that needs a server of its own passes `when:` and a function
/// that says whether there is one; without it the rules are skipped.
#[macro_export]
macro_rules! conformance_suite {
    ($open:path) => {
        $crate::conformance_suite!($open, when: $crate::always);
    };
    ($open:path, when: $when:path) => {
        $crate::conformance_suite!(@rules $open, $when, batches {
            every_batch_gets_the_next_sequence_number
            a_batch_returns_a_result_for_each_change_in_order
            a_failing_change_at_the_end_leaves_no_trace_of_the_batch
            the_next_batch_after_a_refused_one_gets_the_next_number
            every_write_has_its_audit_event
            a_later_change_may_refer_to_the_result_of_an_earlier_one
            a_reference_to_a_duplicate_means_the_memory_that_was_found
            a_reference_to_a_result_of_another_type_is_refused
            a_batch_of_too_many_changes_is_refused
            a_change_that_names_something_unknown_is_refused
            a_write_through_one_handle_is_read_through_another
            many_writers_on_two_handles_lose_nothing_and_share_no_sequence_number
            a_refused_batch_among_racing_ones_takes_nothing_with_it
        });
        $crate::conformance_suite!(@rules $open, $when, clients {
            a_client_is_found_by_its_id_as_it_registered
            a_client_that_registers_again_is_updated
            no_more_clients_are_registered_than_the_limit
            a_token_is_found_by_its_hash_with_what_the_owner_agreed_to
            a_refresh_token_gives_a_new_pair_and_ends_the_old_one
            a_refresh_token_that_is_used_twice_revokes_its_family
            a_refresh_token_gives_nothing_to_another_client_or_after_its_end
            an_access_token_never_refreshes
            of_many_concurrent_uses_of_a_refresh_token_one_gets_a_pair
            a_family_is_revoked_only_by_its_owner
            erasing_an_owner_ends_every_token_of_theirs
            cleanup_removes_expired_tokens_and_clients_without_tokens
        });
        $crate::conformance_suite!(@rules $open, $when, idempotency {
            the_same_key_writes_once_and_returns_the_same_results_twice
            a_replay_is_known_through_another_handle
            a_replay_returns_the_receipt_too
            the_same_key_with_another_request_is_refused
            the_same_key_of_another_agent_is_another_key
            a_refused_batch_does_not_use_up_its_key
            twenty_retries_at_once_write_once
            a_key_longer_than_the_limit_is_refused
            old_keys_are_removed_and_recent_ones_still_replay
            keys_of_batches_whose_event_was_removed_are_removed_too
        });
        $crate::conformance_suite!(@rules $open, $when, memories {
            a_memory_reads_back_as_it_was_written
            every_dialect_origin_and_status_reads_back
            memories_are_returned_in_the_order_of_the_ids_without_unknown_ones
            an_edit_changes_the_fields_it_names_and_no_other
            an_edit_can_remove_what_is_optional
            leaving_active_sets_ended_at_and_entering_it_clears_it
            superseding_ends_the_old_memory_and_links_the_new_one_to_it
            a_memory_does_not_supersede_itself
            a_text_is_found_regardless_of_case_and_spaces
            a_memory_of_an_unknown_session_is_refused
            an_empty_text_is_refused
        });
        $crate::conformance_suite!(@rules $open, $when, duplicates {
            an_existing_memory_is_returned_and_not_written_again
            the_second_of_two_equal_texts_in_a_batch_is_a_duplicate
            the_same_text_elsewhere_is_no_duplicate
            only_an_active_memory_has_duplicates
            a_duplicate_can_be_written_on_request
            an_event_with_other_metadata_is_no_duplicate
            a_text_under_another_title_is_no_duplicate
            a_forgotten_text_that_is_still_said_is_not_refused
            within_a_session_only_its_own_memories_are_duplicates
            across_sessions_the_text_counts_alone
            racing_writers_of_one_text_write_it_once
        });
        $crate::conformance_suite!(@rules $open, $when, listing {
            the_newest_memory_comes_first_unless_asked_otherwise
            memories_are_sorted_by_confidence_importance_or_use
            each_filter_narrows_the_listing
            memories_of_one_agent_can_be_listed
            memories_of_one_dialect_can_be_listed
            pages_follow_each_other_and_have_the_total
            no_page_is_larger_than_the_cap
            no_filter_is_read_as_an_expression
        });
        $crate::conformance_suite!(@rules $open, $when, forgetting {
            the_receipt_counts_the_removed_rows_of_each_table
            forgetting_removes_the_memory_with_its_vectors_links_and_flags
            forgetting_removes_the_rows_that_were_written_with_the_memory
            forgetting_removes_observations_and_relations_of_the_memory
            forgetting_removes_review_items_and_episodes
            the_audit_log_survives_forgetting
            an_id_is_never_assigned_twice
            forgetting_ignores_unknown_memories
            a_forgotten_text_is_known_by_its_hash_alone
            a_forgotten_text_is_not_written_again_silently
            a_forgotten_text_is_written_again_when_explicitly_allowed
        });
        $crate::conformance_suite!(@rules $open, $when, remaking {
            a_remade_memory_has_another_text_under_the_same_id
            nothing_that_was_read_from_the_old_text_stays
            a_remade_memory_is_found_by_its_new_text_alone
            a_remade_memory_is_returned_to_the_view
            remaking_something_unknown_or_without_a_text_is_refused
            a_text_made_from_an_outdated_source_is_refused
        });
        $crate::conformance_suite!(@rules $open, $when, links {
            a_link_is_seen_from_both_ends
            an_existing_link_gets_the_new_weight
            a_link_can_be_removed
            a_link_from_a_memory_to_itself_is_refused
            a_weight_outside_zero_to_one_is_refused
            a_memory_has_no_more_links_out_than_the_limit
            links_of_an_unknown_memory_are_none
        });
        $crate::conformance_suite!(@rules $open, $when, supersession {
            a_replacement_that_would_close_a_cycle_is_refused
            a_cycle_within_one_batch_is_refused
            a_link_that_would_close_a_cycle_of_replacements_is_refused
            a_cycle_of_other_links_is_allowed
            a_replacement_that_was_taken_back_can_be_made_the_other_way_round
            an_active_memory_is_not_replaced_by_one_that_is_out_of_use
            a_memory_may_be_replaced_by_one_that_has_a_current_version
            of_two_racing_replacements_in_a_cycle_one_is_refused
        });
        $crate::conformance_suite!(@rules $open, $when, view {
            an_empty_store_has_no_changes
            an_entry_contains_the_memory_with_links_entities_and_vectors
            only_changes_after_the_sequence_number_are_returned
            a_change_to_no_memory_still_advances_the_sequence_number
            every_change_to_a_memory_returns_it_again
            both_memories_of_a_supersession_are_returned
            a_changed_entity_returns_the_memories_that_mention_it
            a_forgotten_memory_is_returned_as_removed
            no_page_of_changes_holds_half_a_batch
            paging_returns_removals_and_late_changes_once
            a_vector_reads_back_and_can_be_replaced
            memories_without_a_vector_of_the_model_are_found
            changes_by_another_handle_are_returned
            an_entity_alone_touches_no_memory
        });
        $crate::conformance_suite!(@rules $open, $when, sessions {
            a_session_reads_back_as_it_was_started
            a_known_key_resumes_the_session
            a_known_id_resumes_the_session
            sessions_without_a_key_are_always_new
            racing_starts_under_one_key_start_one_session
            ending_a_session_records_the_time_and_the_episode
            an_end_needs_no_episode
            the_most_recently_started_session_comes_first
            a_session_id_below_one_is_refused
        });
        $crate::conformance_suite!(@rules $open, $when, entities {
            an_entity_reads_back_as_it_was_written
            a_name_finds_its_entity_in_any_case
            people_are_found_by_their_first_name
            an_entity_without_a_kind_has_the_kind_entity_and_a_known_kind_stays
            an_entity_without_a_kind_gets_the_first_kind_that_is_stated
            a_name_and_the_person_of_that_name_are_one_entity
            a_tool_and_what_a_caller_calls_by_its_name_are_one_entity
            an_entity_card_has_every_name_and_the_valid_observations
            one_name_of_two_kinds_is_two_entities
            putting_an_entity_again_merges_its_properties
            a_renamed_entity_is_found_under_both_names
            a_mention_is_read_from_both_ends
            the_same_mention_counts_once
            merging_moves_mentions_and_the_name_becomes_an_alias
            a_removed_entity_takes_its_mentions_with_it
            entities_are_returned_in_the_order_of_the_ids
            entities_are_listed_by_name_part_and_kind_most_mentioned_first
        });
        $crate::conformance_suite!(@rules $open, $when, relations {
            an_observation_reads_back_newest_first
            the_same_text_of_the_same_entity_exists_once
            a_relation_reads_back_from_both_ends
            an_existing_relation_grows_up_to_ten
            a_relation_is_attached_to_a_current_memory_while_it_has_one
            a_repeated_observation_is_attached_to_a_current_memory
            the_other_direction_is_another_relation
            an_observation_or_relation_of_something_unknown_is_refused
            merging_moves_observations_and_relations
            merging_keeps_the_properties_of_both_relations
            a_removed_entity_takes_its_observations_and_relations_with_it
            a_relation_is_attributed_to_an_active_memory_that_states_it
        });
        $crate::conformance_suite!(@rules $open, $when, merges {
            undoing_a_merge_restores_both_entities_exactly
            what_changed_after_a_merge_stays_when_it_is_undone
            merges_into_one_entity_are_undone_newest_first
            a_merge_is_undone_only_while_its_entity_and_the_name_are_there
            undoing_a_merge_brings_nothing_forgotten_back
            nothing_is_kept_of_a_merged_entity_that_only_forgotten_memories_state
        });
        $crate::conformance_suite!(@rules $open, $when, records {
            a_row_reads_back_with_its_memory
            a_table_appears_with_its_first_row_and_widens
            a_description_is_stored_when_the_table_has_none
            tables_are_listed_by_name
            each_table_counts_its_own_rows
            a_row_id_is_never_assigned_twice
            a_table_outlives_its_rows
            an_update_merges_and_widens
            deleting_a_row_leaves_its_memory
            rows_are_paged_by_id
            rows_that_changed_after_a_sequence_number_are_returned
            a_row_whose_memory_changed_is_returned_with_the_status_of_the_memory
            changed_rows_are_paged_by_id
            a_malformed_row_is_refused
            a_row_of_an_unknown_memory_is_refused
            a_row_of_another_table_is_not_touched
            a_column_is_as_narrow_as_its_values
        });
        $crate::conformance_suite!(@rules $open, $when, record_versions {
            a_row_is_as_its_newest_version_with_an_active_memory_states_it
            a_version_of_a_proposed_memory_waits_until_the_memory_is_active
            a_row_without_a_memory_gets_the_one_of_its_version
            a_table_counts_the_rows_whose_memory_is_active
            a_row_whose_version_changed_is_among_the_changes
            forgetting_a_memory_takes_its_version_and_leaves_the_others
            forgetting_an_earlier_version_leaves_the_row
            a_removed_row_takes_its_versions_with_it
            a_version_of_something_unknown_is_refused
        });
        $crate::conformance_suite!(@rules $open, $when, profile {
            there_is_no_profile_at_first
            a_patch_creates_a_version_that_names_what_changed
            a_patch_that_changes_nothing_creates_no_version
            every_version_is_stored_newest_first
            an_erased_field_is_in_no_version_and_in_no_reason
            an_erased_field_is_in_no_proposal
        });
        $crate::conformance_suite!(@rules $open, $when, import {
            an_imported_memory_reads_back_unchanged
            an_imported_item_gets_the_next_id_if_its_own_was_ever_used
            imported_entities_sessions_and_links_read_back_unchanged
            imported_tables_and_rows_read_back_unchanged
            imported_handoffs_reviews_and_profile_versions_read_back_unchanged
            an_imported_item_that_names_something_unknown_is_refused
        });
        $crate::conformance_suite!(@rules $open, $when, handoffs {
            a_handoff_reads_back_as_it_was_stored
            a_claim_is_a_lease_of_its_author
            exactly_one_of_twenty_racing_claims_wins_and_the_others_see_who
            the_holder_may_claim_again_to_extend_the_lease
            a_claim_belongs_to_one_session_of_its_agent
            a_claim_that_is_renewed_keeps_its_notes
            an_expired_lease_can_be_claimed_by_anyone
            only_the_holder_releases_unless_anyone_may
            only_the_holder_completes_unless_anyone_may
            a_handoff_is_cancelled_unless_somebody_else_holds_it
            a_settled_handoff_is_claimed_only_after_it_was_reopened
            only_a_settled_handoff_can_be_reopened
            handoffs_are_filtered_by_state_availability_and_location_newest_first
        });
        $crate::conformance_suite!(@rules $open, $when, references {
            a_document_reads_back_with_its_sections_and_vectors
            a_document_replaces_the_one_at_its_path
            a_removed_document_takes_its_sections_with_it
            documents_are_listed_by_path
            sections_are_paged_in_the_order_of_document_and_ordinal
            no_page_of_sections_is_larger_than_the_cap
            only_a_change_to_a_document_advances_the_sequence_number_of_documents
            a_path_that_leaves_the_references_is_refused
        });
        $crate::conformance_suite!(@rules $open, $when, reviews {
            a_review_item_reads_back_as_it_was_raised
            a_review_item_needs_no_memory
            a_review_item_is_decided_once
            review_items_are_listed_by_state_kind_and_memory_newest_first
            a_flag_counts_until_it_is_settled
            settling_a_memory_without_flags_is_fine
            a_decided_item_is_open_again_once_it_is_reopened
            a_memory_is_restored_to_its_earlier_status
            flags_that_were_settled_are_opened_again
        });
        $crate::conformance_suite!(@rules $open, $when, owners {
            an_owner_never_sees_data_of_another
            two_owners_count_their_ids_apart
            owners_are_listed_by_name_and_created_once
            erasing_an_owner_leaves_nothing_and_touches_no_other
            an_owners_store_keeps_its_identity
            a_key_is_found_by_its_hash
            keys_are_listed_newest_first_and_only_the_owners
            a_key_is_revoked_only_by_its_owner
            a_key_records_its_last_use
            a_key_can_be_set_to_expire_earlier_but_not_later
        });
        $crate::conformance_suite!(@rules $open, $when, access {
            grants_are_listed_by_agent_and_resource
            a_grant_replaces_the_one_before
            a_grant_can_be_revoked
            a_workspace_numbers_its_contexts_from_one
            workspaces_are_listed_by_id
            a_context_of_an_unknown_workspace_is_refused
            a_setting_keeps_the_value_written_last
        });
        $crate::conformance_suite!(@rules $open, $when, audit {
            a_read_is_counted_without_a_sequence_number
            a_read_has_its_audit_event
            a_read_of_a_forgotten_memory_is_still_logged
            events_are_listed_by_every_filter_newest_first
            the_log_is_paged_and_its_ids_grow
        });
        $crate::conformance_suite!(@rules $open, $when, usage {
            a_memory_lists_its_latest_showings
            use_counts_are_read_once_per_event
            usage_is_counted_per_agent_and_day
            a_question_is_stored_while_it_finds_nothing
            the_number_of_stored_questions_is_limited
            the_words_of_a_question_are_stored_beside_its_event
            only_the_newest_questions_are_stored_and_none_longer_than_its_event
            forgetting_removes_the_words_of_recent_questions
        });
        $crate::conformance_suite!(@rules $open, $when, expected_version {
            an_edit_of_an_outdated_version_is_refused
            a_batch_that_was_decided_on_another_store_is_refused_as_busy
            a_review_item_that_was_decided_or_reopened_since_refuses_the_batch
            of_many_edits_of_one_version_exactly_one_is_applied
            erasing_everything_leaves_nothing_but_the_log_and_the_rules
        });
        $crate::conformance_suite!(@rules $open, $when, bounds {
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
        $crate::conformance_suite!(@rules $open, $when, maintenance {
            counts_cover_every_type_of_item
            a_store_in_use_is_sound
            compacting_loses_nothing
            a_backup_never_overwrites_a_file
        });

        #[test]
        fn random_batches_leave_store_and_reference_model_equal() {
            if $when() {
                $crate::property_test::random_batches($open, 24);
            }
        }
    };
    (@rules $open:path, $when:path, $module:ident { $($rule:ident)* }) => {
        mod $module {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[test]
                fn $rule() {
                    if $when() {
                        $crate::check($open, $crate::$module::$rule);
                    }
                }
            )*
        }
    };
}

/// Generates a test for every rule of the storage of view snapshots. Takes what
/// [`conformance_suite!`] takes, and the path of a function that returns the snapshots of a store.
#[macro_export]
macro_rules! snapshot_suite {
    ($open:path, $snapshots:path) => {
        $crate::snapshot_suite!($open, $snapshots, when: $crate::always);
    };
    ($open:path, $snapshots:path, when: $when:path) => {
        $crate::snapshot_suite!(@rules $open, $snapshots, $when, {
            there_is_no_snapshot_at_first
            what_one_process_saves_another_reads
            a_large_snapshot_reads_back_unchanged
            a_newer_snapshot_takes_the_place_of_the_one_before
            a_snapshot_that_fails_half_way_leaves_the_one_before
            each_owner_has_a_snapshot_of_their_own
            a_snapshot_is_removed_once
            erasing_an_owner_takes_the_snapshot_along
        });
    };
    (@rules $open:path, $snapshots:path, $when:path, { $($rule:ident)* }) => {
        mod snapshots {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[test]
                fn $rule() {
                    if $when() {
                        $crate::snapshots::check($open, $snapshots, $crate::snapshots::$rule);
                    }
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
                // `all` of `expiring` plays its rules itself, over two handles at once.
                let rule = line.split(['(', '<']).next().unwrap();
                if rule == "all" {
                    continue;
                }
                assert!(
                    suite.contains(&format!("            {rule}\n")),
                    "{rule} of {}",
                    file.display()
                );
            }
        }
    }
}
