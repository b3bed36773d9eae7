/**
 * What a request may ask of its provider. The provider is a network too: tools that it runs itself, and
 * addresses that it fetches, would carry data out and cost money that no token count bounds.
 */
import { isRecord } from '../../base/json.ts';
import type { SERVER_TOOLS } from '../../settings/gateway-config.ts';

export type RequestBody = Readonly<Record<string, unknown>>;

/**
 * The names that the setting `gateway.server_tools` takes. Besides tools: `urls` are addresses of images,
 * documents and files that the provider fetches, `files` are those that it keeps.
 */
export type ServerTool = (typeof SERVER_TOOLS)[number];

export type ScreenTerms = {
  readonly allowed: ReadonlySet<string>;
  /** What calls cost is capped: nothing passes whose cost has no bound. */
  readonly capped: boolean;
};

/** The provider's own word for a tool, and the setting that allows it; null: no setting does. */
export type NamedTool = { readonly name: string; readonly tool: ServerTool | null };

export type ScreenResult =
  | {
      readonly kind: 'passed';
      readonly body: RequestBody;
      /** Fields and tools that were taken out, by the provider's words for them. */
      readonly removed: readonly string[];
      /** Whether a tool of the provider's is in it, allowed by a setting. */
      readonly usesServerTools: boolean;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

export function screenRefusal(
  code: string,
  message: string,
): Extract<ScreenResult, { kind: 'refused' }> {
  return { kind: 'refused', code, message };
}

export function isAllowed({ tool }: NamedTool, { allowed }: ScreenTerms): boolean {
  return tool !== null && allowed.has(tool);
}

/** A request that is for nothing but a tool of the provider's would be answered with an invention. */
export function onlyServerTools(
  names: readonly NamedTool[],
): Extract<ScreenResult, { kind: 'refused' }> {
  const words = names.map(({ name }) => name).join(', ');
  const tools = [...new Set(names.flatMap(({ tool }) => tool ?? []))];
  const hint =
    tools.length === 0
      ? 'No setting allows it.'
      : `To allow it, add ${tools.join(' and ')} to gateway.server_tools in your own settings.`;
  return screenRefusal(
    'server_tool_refused',
    `The tool ${words} runs at the provider, which is off. ${hint}`,
  );
}

/** Tools in a shape that no screen reads: the provider might still find one of its own in there. */
export function refuseMalformedTools({
  tools,
}: RequestBody): Extract<ScreenResult, { kind: 'refused' }> | undefined {
  if (isAbsent(tools) || (Array.isArray(tools) && tools.every(isRecord))) return undefined;
  return screenRefusal(
    'malformed_tools',
    'The field tools has to be a list of objects. Send it as a list, or leave it out.',
  );
}

export function notBounded(field: string): Extract<ScreenResult, { kind: 'refused' }> {
  return screenRefusal(
    'cost_not_bounded',
    `A budget is set, and ${field} makes the cost of a call unbounded. Leave it out, or remove the budget.`,
  );
}

/** True for what every API takes as "not given". */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A count of answers: anything but one is more than was reserved for. */
export function isOneAnswer(value: unknown): boolean {
  return isAbsent(value) || value === 1;
}

export function withoutFields(body: RequestBody, names: ReadonlySet<string>): RequestBody {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)));
}

/**
 * Without a search over the tools that the provider performs: each search reads the whole request once more. The tools
 * that were held back for it are all shown, which costs what they were counted for.
 */
export function withoutToolSearch(
  body: RequestBody,
  isSearch: (tool: RequestBody) => boolean,
): { readonly body: RequestBody; readonly removed: readonly string[] } {
  const tools = Array.isArray(body['tools']) ? (body['tools'] as readonly unknown[]) : [];
  const searches = tools.filter(isRecord).filter(isSearch);
  if (searches.length === 0) return { body, removed: [] };
  const kept = tools.filter((tool) => !isRecord(tool) || !isSearch(tool)).map(shown);
  return {
    body: { ...body, tools: kept },
    removed: [...new Set(searches.map(({ type }) => String(type)))],
  };
}

function shown(tool: unknown): unknown {
  if (!isRecord(tool)) return tool;
  const { defer_loading: _held, ...rest } = tool;
  return Array.isArray(rest['tools']) ? { ...rest, tools: rest['tools'].map(shown) } : rest;
}

/** Fields that no list knows, and that a cap therefore can't count. */
export function unknownFields(body: RequestBody, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(body).filter((name) => !known.has(name));
}

/** Calls `see` with each object in a value, and goes into those for which it returns true. */
export function walkRequest(value: unknown, see: (found: RequestBody) => boolean, depth = 0): void {
  if (depth > 64) return;
  if (Array.isArray(value)) {
    for (const item of value) walkRequest(item, see, depth + 1);
  } else if (isRecord(value) && see(value)) {
    for (const item of Object.values(value)) walkRequest(item, see, depth + 1);
  }
}
