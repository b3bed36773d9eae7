/**
 * The names that the Gemini API knows. It also accepts them in snake_case, as every Google API
 * does.
 */

export const TOP_KEYS: ReadonlySet<string> = new Set([
  'model',
  'contents',
  'tools',
  'toolConfig',
  'safetySettings',
  'systemInstruction',
  'generationConfig',
  'cachedContent',
  'labels',
  'serviceTier',
  'store',
]);

export const COUNT_KEYS: ReadonlySet<string> = new Set([
  'model',
  'contents',
  'generateContentRequest',
]);

export const CONTENT_KEYS: ReadonlySet<string> = new Set(['role', 'parts']);

/** The kinds of a part; exactly these fill its `data`. */
export const PART_DATA = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const;

export const PART_KEYS: ReadonlySet<string> = new Set([
  ...PART_DATA,
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'partMetadata',
  'mediaResolution',
]);

export const CALL_KEYS: ReadonlySet<string> = new Set([
  'id',
  'name',
  'args',
  'partialArgs',
  'willContinue',
]);

export const RESPONSE_KEYS: ReadonlySet<string> = new Set([
  'id',
  'name',
  'response',
  'parts',
  'willContinue',
  'scheduling',
]);

export const CONFIG_KEYS: ReadonlySet<string> = new Set([
  'stopSequences',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'responseLogprobs',
  'candidateCount',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'logprobs',
  'enableEnhancedCivicAnswers',
  'speechConfig',
  'thinkingConfig',
  'imageConfig',
  'mediaResolution',
  'routingConfig',
  'audioTimestamp',
]);

export function camel(key: string): string {
  return key.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}
