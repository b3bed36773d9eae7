/**
 * The tokens of a request at the most expensive provider possible. It counts a token for each byte,
 * and everything that providers add: images by their size, documents, stored answers, descriptions
 * of their own tools.
 */
import { isRecord } from '../../src/base/json.ts';
import { firstMaxTokens } from './first-key.ts';

export type Body = Readonly<Record<string, unknown>>;

const STORED_TOKENS = 200_000;
const PAGES_TOKENS = 500_000;
const IMAGE_TOKENS = 5000;
/** A small OpenAI model counts many times as many tokens for an image. */
const IMAGE_TOKENS_MINI = 48_169;
const DESCRIBED_TOOL_TOKENS = 735;
const CITED_FACTOR = 8;
/** A search over tools at the provider reads the whole request again each time. */
const SEARCH_LOOPS = 3;
const STORED = ['previous_response_id', 'conversation', 'cachedContent', 'cached_content'];
const HOSTED = /^(?:web_search|file_search|code_interpreter|image_generation)_call$/;

export function tokensRead(body: Body, text: string, url: string): number {
  const seen = everyRecord(body);
  // Some tokenizers normalise characters first, which can make the text longer.
  const bytes = Math.max(Buffer.byteLength(text), Buffer.byteLength(text.normalize('NFKC')));
  const isMini = `${url} ${String(body['model'])}`.includes('mini');
  const images = seen.filter(isImage).length * (isMini ? IMAGE_TOKENS_MINI : IMAGE_TOKENS);
  const hidden =
    STORED.some((key) => isGiven(body[key])) || listItems(body).some(isStored) ? STORED_TOKENS : 0;
  const pages = /application\/pdf|audio\//.test(text) ? PAGES_TOKENS : 0;
  const cited = seen.filter(isCited).reduce((sum, one) => sum + countBytes(one) * CITED_FACTOR, 0);
  const tools = itemsIn(body['tools']);
  const described = tools.filter(isDescribed).length * DESCRIBED_TOOL_TOKENS;
  const referenced = seen
    .filter(({ type }) => type === 'tool_reference')
    .map(({ tool_name: wanted }) => tools.find(({ name }) => name === wanted))
    .reduce((sum, tool) => sum + (tool === undefined ? 0 : countBytes(tool)), 0);
  const loops = tools.some(isSearch) ? SEARCH_LOOPS : 1;
  return (bytes + images + hidden + pages + cited + described + referenced) * loops;
}

/** The most that it may write; 0: the request names no limit. */
export function outputAsked(body: Body, text: string): number {
  const config = readConfig(body);
  const thinking = isRecord(body['thinking']) ? Number(body['thinking']['budget_tokens']) : 0;
  const thoughts = config['thinkingConfig'] ?? config['thinking_config'];
  const budget = isRecord(thoughts)
    ? Number(thoughts['thinkingBudget'] ?? thoughts['thinking_budget'])
    : 0;
  const limits = [
    // Servers differ in which of two equal keys counts. This one takes the first.
    firstMaxTokens(text),
    body['max_completion_tokens'],
    body['max_output_tokens'],
    config['maxOutputTokens'],
    config['max_output_tokens'],
  ]
    .map((limit) => Math.trunc(Number(limit))) // as a server that requires an integer does
    .filter((tokens) => tokens > 0);
  // A thinking budget comes on top of a smaller output limit.
  return limits.length === 0 ? 0 : Math.max(...limits, thinking || 0, budget || 0);
}

/** How many answers it must write. */
export function answersAsked(body: Body): number {
  const config = readConfig(body);
  const names = ['n', 'best_of', 'num_completions', 'num_return_sequences', 'candidate_count'];
  const asked = [
    ...names.map((name) => body[name]),
    config['candidateCount'],
    config['candidate_count'],
  ];
  return Math.max(1, ...asked.map(Number).filter((count) => count > 0));
}

function readConfig(body: Body): Body {
  const config = body['generationConfig'] ?? body['generation_config'];
  return isRecord(config) ? config : {};
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function itemsIn(value: unknown): readonly Body[] {
  return (Array.isArray(value) ? value : [value]).filter(isRecord);
}

function listItems(body: Body): readonly Body[] {
  return itemsIn(body['input']);
}

/** An item whose content the provider has stored and finds by its id. */
function isStored({ id, type, role, encrypted_content: given, content, result }: Body): boolean {
  if (!isGiven(id)) return false;
  if (type === 'item_reference' || (!isGiven(type) && !isGiven(role))) return true;
  if (type === 'reasoning') return !isGiven(given) && !isGiven(content);
  return HOSTED.test(String(type)) && !isGiven(result);
}

function isImage(value: Body): boolean {
  const type = value['media_type'] ?? value['mimeType'] ?? value['mime_type'];
  if (typeof value['data'] === 'string' && String(type).startsWith('image/')) return true;
  const address = isRecord(value['image_url']) ? value['image_url']['url'] : value['image_url'];
  return typeof address === 'string' && address.startsWith('data:image/');
}

function isCited({ type, citations }: Body): boolean {
  return type === 'document' && isRecord(citations) && citations['enabled'] === true;
}

function isDescribed({ type }: Body): boolean {
  return isGiven(type) && type !== 'custom' && type !== 'function';
}

function isSearch({ type, execution }: Body): boolean {
  return String(type).startsWith('tool_search') && execution !== 'client';
}

function countBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function everyRecord(value: unknown): readonly Body[] {
  if (Array.isArray(value)) return value.flatMap(everyRecord);
  if (!isRecord(value)) return [];
  return [value, ...Object.values(value).flatMap(everyRecord)];
}
