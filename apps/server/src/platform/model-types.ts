/** Where a model is and what it costs. Prices are US dollars for a million tokens. */
export interface ModelConnection {
  provider: 'openai-compatible' | 'openai' | 'anthropic' | 'google';
  /** Null for the provider's own address. */
  baseUrl: string | null;
  model: string;
  apiKey: string | null;
  inputPrice: number;
  outputPrice: number;
}

export interface ToolCall {
  id: string;
  name: string;
  /** As the model wrote it, unchecked; text where it was not even JSON. */
  input: unknown;
  /** What the provider wants back with the result. Not for reading. */
  memo?: unknown;
}

/** One call of this turn that asked for tools, and what came of them. */
export interface ToolStep {
  text: string;
  toolCalls: readonly ToolCall[];
  results: readonly { id: string; output: unknown; isError?: boolean }[];
}

export interface ModelRequest {
  system: string;
  messages: readonly { role: 'user' | 'assistant'; text: string }[];
  tools?: readonly { name: string; description: string; inputSchema: Record<string, unknown> }[];
  /** The earlier calls of this turn, oldest first: the caller runs tools and asks again, nothing here loops. */
  toolResults?: readonly ToolStep[];
  maxOutputTokens: number;
  temperature: number;
  firstTokenMs: number;
  /** Longest silence after something came. */
  stallMs: number;
  totalMs: number;
  signal?: AbortSignal;
}

export interface ModelResponse {
  text: string;
  /** Empty when the answer broke off: half a tool call is not run. */
  toolCalls: ToolCall[];
  usage: { inputTokens: number; outputTokens: number; isEstimated: boolean };
  /** `stalled` broke off, fell silent or took too long after text came; `stopped` was ended by the signal. */
  finish: 'stop' | 'length' | 'tool_calls' | 'stalled' | 'stopped' | 'other';
}
