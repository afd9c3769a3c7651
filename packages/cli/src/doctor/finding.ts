/** A problem of a page: what it is, the evidence, and the fix. */
export interface Finding {
  cause: Cause;
  message: string;
  evidence: string;
  fix: string;
}

export type Cause =
  | 'no_snippet'
  | 'script_not_executed'
  | 'attribute_missing'
  | 'attribute_misspelt'
  | 'server_key_in_page'
  | 'key_malformed'
  | 'key_refused'
  | 'bot_mismatch'
  | 'bot_not_found'
  | 'bot_paused'
  | 'bot_not_published'
  | 'origin_not_allowed'
  | 'service_refused'
  | 'mixed_content'
  | 'blocked_by_policy'
  | 'script_not_found'
  | 'script_unreachable'
  | 'script_changed'
  | 'script_blocked'
  | 'loaded_twice'
  | 'clock_off'
  | 'no_button'
  | 'chat_does_not_open';
