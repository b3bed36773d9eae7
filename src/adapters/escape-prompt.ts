/**
 * Puts a word before a prompt that some CLIs would treat as one of their own commands, or would
 * omit when they continue a conversation. The rest of the prompt is unchanged.
 */
export function escapePrompt(prompt: string): string {
  return /^\s*[/?]/.test(prompt) ? `Task:\n${prompt}` : prompt;
}
