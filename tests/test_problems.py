"""Every message stands beside what reports it, and has a case, or a named test if no text file can bring it about."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from functools import wraps
from pathlib import Path

import pytest
from cases_format import read_case, run_case
from check_cases import check_site, written
from selection import FEATURES
from test_layers import MODULES, PACKAGE, module_of

from devlog.model.codes import OF_BUILDS, OF_CHECKS
from devlog.model.diagnostic import Diagnostic
from devlog.plugins.features import codes_of_builds, codes_of_checks

TESTS = Path(__file__).parent
SOURCES = sorted(PACKAGE.rglob("problems.py"))

ELSEWHERE = {
    "missing_source": "check/test_missing_source.py::test_a_file_that_the_repository_does_not_have",
    "no_math_font": "theme/test_math_font.py::test_a_package_without_the_font",
    "diagram_refused": "diagrams/test_found.py::test_programs_are_found_when_they_are_installed",
    "diagrams_as_text": "diagrams/test_found.py::test_programs_are_found_when_they_are_installed",
    "old_diagram_script": "diagrams/test_mermaid_script.py::test_a_version_with_known_faults_is_not_used",
    "unknown_template": "scaffold/test_theme.py::test_a_name_that_is_no_templates",
    # These need very long texts.
    "too_many_included": "test_included.py::test_a_post_includes_a_limited_number_of_files",
    "no_source_repository": "assemble/test_refs_command.py::test_a_site_without_a_repository",
    "many_citations": "test_sources.py::test_only_the_first_places_of_a_text_are_looked_at",
    "many_definitions": "test_sources.py::test_symbols_of_only_so_many_definitions_are_looked_up",
    "committed_checkout": "disk/test_checkout_folder.py::test_what_the_sites_repository_contains_is_no_checkout",
    "unknown_checkout": "disk/test_checkout_folder.py::test_without_git_nobody_says_that_the_checkout_is_committed",
    "many_lines": "test_sources.py::test_only_so_many_lines_are_compared_in_a_build",
    "long_source": "test_sources.py::test_files_of_very_many_lines_are_not_looked_into",
    # These need the command that publishes, or a machine without Pillow.
    "unknown_deployment": "deploy/test_deploy.py::test_one_of_several",
    "unknown_deployer": "deploy/test_deploy.py::test_a_deployer_that_nobody_knows",
    "not_built": "deploy/test_deploy.py::test_there_must_be_a_built_site",
    "unknown_files": "deploy/test_deploy.py::test_without_a_list_of_the_built_files_publishing_fails",
    "not_as_built": "deploy/test_deploy.py::test_what_has_changed_since_the_build_is_not_published",
    "not_deployed": "deploy/test_deploy.py::test_settings_are_checked",
    "astray_module": "plugins/test_plugin_imports.py::test_modules_that_a_plugin_finds_by_itself_are_refused",
    "unusable_cache": "engine/test_shared_site.py::test_a_cache_of_another_user_is_reported",
    "no_cards": "test_cards.py::test_without_pillow",
    "no_fonttools": "brand/test_brand.py::test_without_the_packages",
    "no_icons": "brand/test_brand.py::test_without_the_packages",
    # Links, pipes, bytes in names and sizes of files cannot stand in a text file.
    "symlink": "disk/test_read.py::test_links_are_refused",
    "special_file": "disk/test_read.py::test_special_files_are_refused_without_waiting",
    "too_large": "disk/test_read.py::test_limits",
    "too_deep": "disk/test_read.py::test_depth",
    "undecodable_name": "disk/test_read.py::test_undecodable_names",
    "same_name": "disk/test_read.py::test_two_forms_of_one_name",
    # These need more than a text file should hold.
    "expands_too_much": "test_growth.py::test_a_definition_that_is_used_many_times_makes_no_gigabytes",
    "long_urls": "test_growth.py::test_short_links_to_long_urls_make_no_gigabytes",
    "converts_too_long": "hostile/test_notebooks_hostile.py::test_bombs_end_no_build",
    "not_editable": "notebooks/test_notebooks.py::test_no_audio_is_named_in_a_notebook",
    "long_output": "notebooks/test_notebooks.py::test_long_output_is_cut",
    "long_shortcode": "parse/test_shortcodes.py::test_a_very_long_tag_is_reported",
    "huge_tables": "parse/test_long_runs.py::test_cells_of_huge_tables_span_nothing",
    "too_many_players": "parse/test_long_runs.py::test_many_players_are_refused",
    "too_long": "test_growth.py::test_a_name_that_other_pages_repeat_is_not_too_long",
    "shared_by_too_many": "episodes/test_limits.py::test_many_episodes_do_not_share_a_file",
    "binary_file": "disk/test_read.py::test_what_is_not_text",
    "not_utf8": "disk/test_read.py::test_what_is_not_text",
    "other_encoding": "disk/test_read.py::test_what_is_not_text",
    # The configuration refuses such folders before the disk does.
    "outside_folder": "disk/test_read.py::test_folders_outside_are_refused",
    # These need an earlier build, another process, or a system that fails.
    "unreadable": "disk/test_read.py::test_missing_and_wrong_folders",
    "foreign_output": "test_sites.py::test_a_foreign_file_in_the_way",
    "file_and_folder": "disk/test_write.py::test_a_plan_with_a_file_as_folder_is_refused",
    "edited_output": "test_sites.py::test_edited_outputs",
    "kept_output": "disk/test_former_output.py::test_what_cannot_come_along_is_kept_and_told",
    "replaced_output": "test_sites.py::test_edited_outputs",
    "damaged_manifest": "test_sites.py::test_a_damaged_manifest",
    "changed_while_building": "disk/test_write.py::test_assets_are_copied_and_checked",
    "cannot_write": "disk/test_write.py::test_an_error_of_the_system_is_one_message",
    "locked": "test_sites.py::test_a_locked_site",
    "internal_error": "test_sites.py::test_a_fault_of_ours_costs_one_text",
    "worker_died": "test_sites.py::test_a_text_that_ends_its_process",
    "too_slow": "engine/test_executors.py::test_a_template_without_an_end_is_named",
    # These need another command than a build.
    "no_site": "scaffold/test_new_post.py::test_a_folder_that_is_no_site",
    "unknown_topic": "scaffold/test_new_post.py::test_a_topic_that_is_not_there",
    "which_topic": "scaffold/test_new_post.py::test_topics_are_listed_when_one_must_be_chosen",
    "already_there": "scaffold/test_new_post.py::test_a_name_that_some_systems_take_for_the_same",
    "no_slug": "scaffold/test_new_post.py::test_an_emoji_title_with_a_slug",
    "bad_name": "scaffold/test_new_author.py::test_no_handle",
    "known_author": "scaffold/test_new_author.py::test_nobody_twice",
    "cannot_append": "scaffold/test_new_author.py::test_what_cannot_be_added_to",
    "no_author": "scaffold/test_new_post.py::test_without_git",
    "ignored_file": "scaffold/test_new_post.py::test_a_post_that_would_be_ignored_is_not_written",
    "unfit_template": "scaffold/test_archetypes.py::test_a_title_that_a_template_would_change_is_refused",
    "unused_option": "scaffold/test_archetypes.py::test_what_has_no_place_is_told",
    "workflows_below": "scaffold/test_init.py::test_a_site_inside_a_repository",
    "folder_not_empty": "scaffold/test_init.py::test_other_folders_are_refused",
    # These need the option --executor.
    "unknown_executor": "engine/test_executors.py::test_names_that_name_nothing",
    "bad_executor": "engine/test_executors.py::test_names_that_name_nothing",
    "missing_extra": "engine/test_executors.py::test_a_missing_extra_says_what_to_install",
    "no_scheduler": "engine/test_dask.py::test_nobody_at_the_address",
    "no_workers": "engine/test_executors.py::test_a_build_without_workers_is_one_error",
    # These need the command that writes digests.
    "no_history": "digests/test_digest.py::test_what_cannot_be",
    "no_source": "digests/test_digest.py::test_without_a_repository",
    "unknown_digest": "digests/test_digest.py::test_what_cannot_be",
    "template_failed": "digests/test_digest.py::test_a_template_with_a_mistake",
    "writer_failed": "digests/test_digest.py::test_a_writer_that_fails",
    "digest_too_long": "digests/test_digest.py::test_a_writer_that_makes_things_up",
    "digest_markup": "digests/test_digest.py::test_a_writer_that_makes_things_up",
    "digest_unknown": "digests/test_digest.py::test_a_writer_that_makes_things_up",
    "digest_wrong_count": "digests/test_digest.py::test_a_writer_that_makes_things_up",
    "digest_incomplete": "digests/test_digest.py::test_what_a_writer_leaves_out_is_told",
    "quiet": "digests/test_digest.py::test_an_empty_day_writes_nothing",
    "digest_exists": "digests/test_digest.py::test_the_same_again_changes_nothing",
    "bad_recorded_activity": "digests/test_digest.py::test_an_edited_post_is_made_again_as_it_was",
    "no_forge": "digests/test_forge.py::test_a_url_that_may_not_be_asked",
    "no_gaps": "digests/test_digest_gaps.py::test_a_site_that_cannot_tell",
    "forge_failed": "digests/test_forge.py::test_a_forge_that_fails",
    "forge_requests": "digests/test_forge.py::test_a_digest_with_what_the_forge_knows",
    "forge_incomplete": "digests/test_forge.py::test_at_most_so_many_requests",
    "forge_too_large": "digests/test_forge.py::test_what_is_too_large_is_told",
    "no_digest": "digests/test_digest.py::test_what_cannot_be",
    "bad_digest_key": "digests/test_digest.py::test_the_front_matter_says_how_it_was_made",
    # These need the command that speaks.
    "cannot_speak": "speak/test_speak.py::test_without_a_program",
    "not_a_text": "speak/test_speak.py::test_what_is_no_text_of_the_site",
    "nothing_to_speak": "speak/test_speak.py::test_a_text_without_words",
    "already_spoken": "speak/test_speak.py::test_nothing_is_written_over_unless_that_is_asked_for",
    "not_spoken": "speak/test_speak.py::test_a_program_that_fails",
    "unfit_cover": "speak/test_speak.py::test_a_cover_is_an_image",
    "post_lacks": "speak/test_speak.py::test_a_greeting_with_a_date_needs_one",
    "not_noted": "speak/test_speak.py::test_where_nothing_can_be_put_in_the_writer_is_told",
    # These need an indexer that is missing or broken, or a site with a search, which those of the cases have not.
    "no_search": "search/test_search_index.py::test_without_the_package_there_is_no_search",
    "search_cannot_start": "search/test_search_index.py::test_an_indexer_that_does_not_run_here",
    "search_failed": "search/test_search_index.py::test_an_indexer_that_gives_up_leaves_the_last_good_site",
    "search_folder_taken": "search/test_search_index.py::test_files_of_the_site_where_the_index_belongs",
    # These need pictures, or a machine without Pillow.
    "unfit_image": "images/test_published.py::test_a_picture_that_cannot_be_decoded",
    "lacking_formats": "images/test_published.py::test_a_format_that_pillow_lacks_is_named_where_it_is_asked_for",
    "no_pillow": "images/test_published.py::test_who_asks_for_it_is_warned",
    # These need a server, or a machine without Pillow.
    "no_avatar": "avatars/test_built.py::test_who_has_none_is_named",
    "avatars_need_pillow": "avatars/test_built.py::test_without_pillow",
    # These need sounds, or a machine without tinytag.
    "no_tinytag": "episodes/test_sounds.py::test_without_the_package",
    "late_transcript": "episodes/test_episode_sites.py::test_a_transcript_that_is_longer_than_the_sound",
    "wrong_duration": "episodes/test_sounds.py::test_a_duration_that_is_another",
    # These need a clone.
    "changed_source": "test_sources.py::test_a_check_tells_of_each_place",
    "stale_citation": "test_sources.py::test_a_check_tells_of_each_place",
    # These need git, “--fix”, or pictures that no text file holds.
    "git_dates_unknown": "disk/test_dates_added.py::test_a_build_says_that_git_did_not_answer",
    "cannot_try": "check/test_fixing.py::test_trying_out_on_a_full_disk",
    "git_unavailable": "check/test_fixing.py::test_where_git_does_not_answer_nothing_is_fixed",
    "not_in_git": "check/test_fixing.py::test_what_git_cannot_restore_stays",
    "not_content": "check/test_fixing_refused.py::test_fixes_outside_the_content_folder_are_refused",
    "not_ended": "check/test_fixing_refused.py::test_a_fix_that_does_not_end_its_problem_is_applied_once",
    "unfit": "check/test_fixing_refused.py::test_a_fix_of_a_plugin_that_cannot_be_applied_is_told",
    "ineffective": "check/test_fixing_refused.py::test_a_fix_of_a_plugin_that_cannot_be_applied_is_told",
    "unsettled": "check/test_fixing_refused.py::test_a_rule_that_never_settles_is_named_after_the_last_round",
    "undone": "check/test_fixing_refused.py::test_fixes_that_undo_each_other_leave_the_first_text",
    "would_break": "check/test_fixing_refused.py::test_a_fix_that_would_break_the_site_is_taken_back",
    "would_alter": "check/test_fixing_meaning.py::test_a_fix_that_changes_more_than_it_says_is_left_out_alone",
    "nothing_fixed": "check/test_fixing.py::test_errors_in_the_configuration_come_first",
    "uncommitted_changes": "check/test_fixing.py::test_a_repository_with_changes_is_left_alone",
    "date_from_git": "check/test_fixing_meaning.py::test_a_date_that_only_git_knows_is_written_down",
    "large_image": "check/test_images.py::test_an_image_over_its_budget",
    "kept_location": "images/test_kept_location.py::test_what_cannot_be_removed_is_reported",
    "location": "check/test_images.py::test_the_place_in_a_picture",
    # These need the command that adopts a site.
    "already_adopted": "adopt/test_adopt.py::test_a_configuration_of_devlog_is_never_overwritten",
    "foreign_config": "adopt/test_adopt.py::test_a_configuration_that_cannot_be_read",
    "foreign_alias": "adopt/test_adopt_unreadable.py::test_aliases_that_cannot_be_read_stop_the_import",
    "unsupported_generator": "adopt/test_adopt_books.py::test_a_site_of_bridgetown_is_refused",
    "nothing_to_adopt": "adopt/test_adopt.py::test_nothing_to_adopt",
    "other_toolchain": "engine/test_executors.py::test_a_worker_that_is_not_like_us_refuses",
    # These need the web.
    "dead_url": "external/test_run.py::test_dead_links_are_told_at_every_place",
    "moved_url": "external/test_run.py::test_what_has_moved_is_fixed",
    "offline": "external/test_run.py::test_a_machine_without_a_network_is_one_message",
    "private_urls": "external/test_run.py::test_hosts_inside_a_network_are_told_in_one_message",
    "unasked_urls": "external/test_run.py::test_busy_hosts_are_told_in_one_message",
    # These need the output of another site.
    "no_output": "compare/test_compare_command.py::test_nothing_to_compare",
    "no_pages": "compare/test_compare_command.py::test_nothing_to_compare",
    "same_output": "compare/test_compare_command.py::test_nothing_to_compare",
    "not_a_site_map": "compare/test_compare_command.py::test_nothing_to_compare",
    "no_own_address": "compare/test_compare_command.py::test_addresses_of_another_base",
    "not_compared": "compare/test_compare_hostile.py::test_links_and_pipes_are_told_and_not_read",
}
"""Messages without a case, with the test that shows each."""


LEVELS = ("error", "warning", "info")
"""The functions with which messages make a problem."""


def functions(source: Path) -> list[ast.FunctionDef]:
    """The public functions of a module that word a message."""
    return [
        node
        for node in ast.parse(source.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and node.name not in LEVELS
        and isinstance(node.returns, ast.Name)
        and node.returns.id == "Diagnostic"
    ]


def codes(source: Path) -> set[str]:
    """The codes that the messages of a module have."""
    return {
        call.args[0].value
        for function in functions(source)
        for call in ast.walk(function)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in LEVELS
        and isinstance(call.args[0], ast.Constant)
    }


MESSAGES = {function.name: source for source in SOURCES for function in functions(source)}
"""The module of each message."""


def reporters() -> dict[str, set[Path]]:
    """The folders of the code that reports each message; a feature is one folder."""
    found: dict[str, set[Path]] = {name: set() for name in MESSAGES}
    for path in set(MODULES) - set(SOURCES):
        tree = ast.parse(path.read_text("utf-8"))
        sources = {
            alias.asname or alias.name: PACKAGE.parent.joinpath(*(node.module or "").split("."), "problems.py")
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.name == "problems"
        }
        inside = path.relative_to(PACKAGE).parts
        folder = PACKAGE.joinpath(*inside[:2]) if inside[0] == "features" else path.parent
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                source = sources.get(node.value.id)
                if source and MESSAGES.get(node.attr) == source:
                    found[node.attr].add(folder)
    return found


@pytest.mark.slow
def test_each_message_stands_beside_the_code_that_reports_it() -> None:
    shared = PACKAGE / "model"
    astray = {
        name: sorted(map(str, folders))
        for name, folders in reporters().items()
        if MESSAGES[name].parent not in folders and not (MESSAGES[name].parent == shared and len(folders) > 1)
    }
    assert astray == {}


def test_no_two_messages_have_one_name() -> None:
    assert len(MESSAGES) == sum(len(functions(source)) for source in SOURCES)


def test_the_table_of_codes_is_complete() -> None:
    table = {
        name: {*OF_BUILDS.get(name, "").split(), *OF_CHECKS.get(name, "").split()} for name in OF_BUILDS | OF_CHECKS
    }
    for folder in sorted(source.parent for source in SOURCES if source.parent.parent.name == "features"):
        own = importlib.import_module(f"{module_of(folder)}.plugin").PLUGIN.codes
        table[module_of(folder)] = {*own.of_builds.split(), *own.of_checks.split()}
        assert set(own.forgivable.split()) <= set(own.of_builds.split())
    assert table == {module_of(source).removesuffix(".problems"): codes(source) for source in SOURCES}
    assert not codes_of_builds() & codes_of_checks()


@pytest.mark.feature(*FEATURES)
@pytest.mark.slow
def test_every_message_has_a_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, str, str]] = []
    # What another test found in the same theme is not found again.
    monkeypatch.setenv("DEVLOG_CACHE_DIR", str(tmp_path / "cache"))

    def recorded(name: str, function: Callable[..., Diagnostic]) -> Callable[..., Diagnostic]:
        @wraps(function)
        def record(*values: object, **named: object) -> Diagnostic:
            problem = function(*values, **named)
            made.append((name, problem.code, problem.message))
            return problem

        return record

    for name, source in MESSAGES.items():
        module = importlib.import_module(module_of(source))
        monkeypatch.setattr(module, name, recorded(name, getattr(module, name)))
    shown: set[str] = set()
    for number, file in enumerate(sorted((TESTS / "cases").glob("*.txt"))):
        text = file.read_text("utf-8")
        if "-- expect diagnostics --" in text:  # a case without this section has no problems
            made.clear()
            report, _ = run_case(read_case(text), tmp_path / str(number))
            told = {(problem.code, problem.message) for problem in report.diagnostics}
            shown.update(name for name, code, message in made if (code, message) in told)
    for number, file in enumerate(sorted((TESTS / "check" / "cases").glob("*.txt"))):
        made.clear()
        root = written(read_case(file.read_text("utf-8")), tmp_path / f"check-{number}")
        told = {(problem.code, problem.message) for problem in check_site(root).diagnostics}
        shown.update(name for name, code, message in made if (code, message) in told)
    assert sorted(set(MESSAGES) - shown - set(ELSEWHERE)) == [], "write a case for each"
    assert sorted(set(ELSEWHERE) & shown) == [], "has a case: take it out of the list"
    assert sorted(set(ELSEWHERE) - set(MESSAGES)) == [], "is no message any more"


@pytest.mark.parametrize(("name", "test"), ELSEWHERE.items())
def test_the_named_tests_are_there(name: str, test: str) -> None:
    file, _, function = test.partition("::")
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function]
    assert found, f"{test} is gone"


@pytest.mark.parametrize("source", SOURCES, ids=module_of)
def test_each_has_a_docstring(source: Path) -> None:
    assert [function.name for function in functions(source) if not ast.get_docstring(function)] == []
