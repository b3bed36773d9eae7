/**
 * A prompt that some CLIs would take for a command of their own, or would leave out when they go on
 * with a conversation, begins with a word of ours. The rest is as it was.
 */
export function escapePrompt(prompt: string): string {
  return /^\s*[/?]/.test(prompt) ? `Task:\n${prompt}` : prompt;
}
