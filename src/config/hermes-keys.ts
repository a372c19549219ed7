/** Top-level keys of Hermes that Talaria does not use, or not yet: whatever stands beneath them passes in silence. */
const wholeSections = `
  _config_version agents attachments bedrock browser budget checkpoints code_execution computer_use cron curator dashboard
  dingtalk discord dm_policy email environments feishu gateway goals google_chat group_sessions_per_user honcho human_delay image_gen
  kanban local_runtimes lsp matrix mattermost max_concurrent_sessions mcp mcp_discovery_timeout model_aliases model_catalog
  model_overrides moa network onboarding openrouter paste_collapse_char_threshold paste_collapse_threshold
  paste_collapse_threshold_fallback personalities personality platform_toolsets platforms prefill_messages_file privacy profile
  provider_routing proxy quick_commands require_mention reset_triggers rl runtime secrets send_message service session_reset
  session_store_max_age_days sessions signal skills skin slack sms streaming stt system_prompt telegram telemetry
  thread_sessions_per_user tool_search tools tts unauthorized_dm_behavior updates video_gen vision voice web webhook wecom weixin
  whatsapp x_search always_log_local filter_silence_narration stt_enabled logs skills_hub agent_browser mcp_oauth
`;

/** Keys of Hermes in sections that Talaria shares. */
const inSharedSections: Readonly<Record<string, string>> = {
  model:
    "api_version auth_mode cache_control entra extra_body extra_headers headers key_cmd key_env label max_output_tokens name ollama_num_ctx openai_runtime options provider_routing reasoning_effort region service_tier session_affinity_header supports_vision vision timeout stale_timeout_seconds request_timeout_seconds api",
  agent:
    "adaptive_reasoning background_review cache_ttl clarify_timeout coding_context coding_instructions concurrency environment_hint environment_probe gateway_auto_continue_freshness gateway_notify_interval gateway_timeout gateway_timeout_warning gateway_turn_timeout image_input_mode intent_ack_continuation load_soul_identity max_iterations max_tokens max_verify_nudges parallel_tool_call_guidance personalities personality prefill_messages_file reasoning_overrides reasoning_style restart_drain_timeout save_trajectories service_tier skip_context_files stale_timeout system_prompt_file task_completion_guidance tool_delay tool_use_enforcement verbose verify verify_guidance verify_on_stop",
  terminal:
    "auto_source_bashrc auto_source_profile container_cpu container_disk container_memory container_persistent daytona_image docker_env docker_extra_args docker_forward_env docker_image docker_mount_cwd_to_workspace docker_network docker_orphan_reaper docker_persist_across_processes docker_run_as_host_user docker_volumes env_passthrough home_mode lifetime_seconds modal_image modal_mode persistent_shell remote_timeout sandbox_dir shell_init_files singularity_image ssh_host ssh_key ssh_persistent ssh_port ssh_user sudo_password vercel_runtime warn_on_degraded_isolation",
  tool_output: "spill_dir",
  tool_loop_guardrails: "mode circuit_breaker_enabled",
  compression:
    "abort_on_summary_failure codex_app_server_auto codex_gpt55_autoraise fallback_model fallback_to_truncate hygiene_hard_message_limit in_place max_attempts min_savings_ratio model notify protect_first_turns proactive_prune_tokens provider summary_base_url summary_model summary_provider threshold_tokens tool_result_max_chars",
  prompt_caching: "long_lived_prefix ttl",
  delegation:
    "api_key_env default_toolsets max_summary_chars toolsets worktree fallback_model idle_timeout_seconds summary_max_chars",
  approvals:
    "allow_permanent deny gateway_mode gateway_timeout mcp_reload_confirm notify prompt smart_model subagent_mode tool_allowlist user_rules",
  security:
    "acked_advisories allow_data_urls allow_lazy_installs allow_yolo blocked_domains command_scan redact_patterns tirith_enabled tirith_fail_open tirith_path tirith_timeout website_blocklist",
  display:
    "background_process_notifications battery bold_final cleanup_progress code_theme compact copy_shortcut dashboard ephemeral_system_ttl file_mutation_verifier final_response_markdown friendly_tool_labels inline_diffs interim_assistant_messages interface language long_running_notifications memory_notifications mouse_tracking nudge persistent_output persistent_output_max_lines personality pet platforms resume_display resume_exchanges resume_max_assistant_chars resume_max_assistant_lines resume_max_user_chars resume_skip_tool_only runtime_footer runtime_metadata_footer show_commentary show_tool_output skin spinner status_bar streaming_cursor timestamp_format tool_preview_length tool_prefix tool_progress_command tool_progress_grouping tool_progress_overrides tui_auto_resume_recent tui_compact tui_mouse tui_status_indicator tui_statusbar turn_completion_explainer user_message_preview word_wrap busy_steer_ack busy_text_mode vim_mode",
  logging: "component_levels file format gateway_level memory_monitor redact third_party_level",
  database: "journal_mode journal_size_limit synchronous wal_autocheckpoint",
  context: "threshold protect_first protect_last settings options",
  memory:
    "enabled memory_enabled user_profile_enabled memory_char_limit user_char_limit nudge_interval flush_min_turns write_approval config background_review auto_extract backend approval",
  plugins: "allow auto_update bundled clone_timeout_seconds dirs hook_payload_max_chars llm registry trust",
};

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "");

const whole: ReadonlySet<string> = new Set(words(wholeSections));
const shared: ReadonlySet<string> = new Set(
  Object.entries(inSharedSections).flatMap(([section, names]) => words(names).map((name) => `${section}.${name}`)),
);

/** Hermes's names, which are neither used nor reported. */
export const hermesPaths: readonly string[] = [...whole, ...shared];

export const isHermesPath = (path: string): boolean => whole.has(path.split(".", 1)[0] ?? "") || shared.has(path);
