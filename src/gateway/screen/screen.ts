/**
 * Limits what a request may ask of its provider. The provider is a network too: tools that it runs and addresses that
 * it fetches could leak data and cost money that no token count bounds.
 */
import { isRecord } from '../../base/json.ts';
import type { SERVER_TOOLS } from '../../settings/gateway-config.ts';

export type RequestBody = Readonly<Record<string, unknown>>;

/**
 * The names that the setting `gateway.server_tools` accepts. Besides tools, `urls` are addresses of images, documents
 * and files that the provider fetches, and `files` are files stored at the provider.
 */
export type ServerTool = (typeof SERVER_TOOLS)[number];

export type ScreenTerms = {
  readonly allowed: ReadonlySet<string>;
  /** The cost of calls is capped, so nothing without a cost bound passes. */
  readonly capped: boolean;
};

/** The provider's own name for a tool, and the setting that allows it. Null: no setting does. */
export type NamedTool = { readonly name: string; readonly tool: ServerTool | null };

export type ScreenResult =
  | {
      readonly kind: 'passed';
      readonly body: RequestBody;
      /** Fields and tools that were removed, by the provider's names for them. */
      readonly removed: readonly string[];
      /** Whether the request contains a provider tool that a setting allows. */
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

/** Refuses a request whose only tools run at the provider. Without them, the model would invent an answer. */
export function onlyServerTools(
  names: readonly NamedTool[],
): Extract<ScreenResult, { kind: 'refused' }> {
  const list = names.map(({ name }) => name).join(', ');
  const tools = [...new Set(names.flatMap(({ tool }) => tool ?? []))];
  const hint =
    tools.length === 0
      ? 'No setting allows it.'
      : `To allow it, add ${tools.join(' and ')} to gateway.server_tools in your own settings.`;
  return screenRefusal(
    'server_tool_refused',
    `The tool ${list} runs at the provider, which is off. ${hint}`,
  );
}

/**
 * Refuses tools in a form that the screen cannot read, because the provider might still find one of its own tools in
 * it.
 */
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

/** True for values that every API treats as "not given". */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** The requested number of answers. Anything but one exceeds what was reserved. */
export function isOneAnswer(value: unknown): boolean {
  return isAbsent(value) || value === 1;
}

export function withoutFields(body: RequestBody, names: ReadonlySet<string>): RequestBody {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)));
}

/**
 * Removes a provider-side search over the tools, because each search reads the whole request once more. The tools
 * that were deferred for it are all shown, at the cost that was counted for them.
 */
export function withoutToolSearch(
  body: RequestBody,
  isSearch: (tool: RequestBody) => boolean,
): { readonly body: RequestBody; readonly removed: readonly string[] } {
  const tools = Array.isArray(body['tools']) ? (body['tools'] as readonly unknown[]) : [];
  const searches = tools.filter(isRecord).filter(isSearch);
  if (searches.length === 0) return { body, removed: [] };
  const remaining = tools.filter((tool) => !isRecord(tool) || !isSearch(tool)).map(showDeferred);
  return {
    body: { ...body, tools: remaining },
    removed: [...new Set(searches.map(({ type }) => String(type)))],
  };
}

function showDeferred(tool: unknown): unknown {
  if (!isRecord(tool)) return tool;
  const { defer_loading: _held, ...rest } = tool;
  return Array.isArray(rest['tools']) ? { ...rest, tools: rest['tools'].map(showDeferred) } : rest;
}

/** Fields that are not in the known list, so their cost cannot be bounded. */
export function unknownFields(body: RequestBody, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(body).filter((name) => !known.has(name));
}

/** Calls `see` with each object in a value, and descends into those for which it returns true. */
export function walkRequest(value: unknown, see: (found: RequestBody) => boolean, depth = 0): void {
  if (depth > 64) return;
  if (Array.isArray(value)) {
    for (const item of value) walkRequest(item, see, depth + 1);
  } else if (isRecord(value) && see(value)) {
    for (const item of Object.values(value)) walkRequest(item, see, depth + 1);
  }
}
