/**
 * What a request may ask of its provider. The provider is a network too: tools that it runs itself, and
 * addresses that it fetches, would carry data out and cost money that no token count bounds.
 */
import { isRecord } from '../../base/json.ts';
import type { SERVER_TOOLS } from '../../protocol/gateway-config.ts';

export type Body = Readonly<Record<string, unknown>>;

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
export type Named = { readonly name: string; readonly tool: ServerTool | null };

export type Screened =
  | {
      readonly kind: 'passed';
      readonly body: Body;
      /** Fields and tools that were taken out, by the provider's words for them. */
      readonly removed: readonly string[];
      /** Whether a tool of the provider's is in it, allowed by a setting. */
      readonly usesServerTools: boolean;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

export function refused(code: string, message: string): Extract<Screened, { kind: 'refused' }> {
  return { kind: 'refused', code, message };
}

export function isAllowed({ tool }: Named, { allowed }: ScreenTerms): boolean {
  return tool !== null && allowed.has(tool);
}

/** A request that is for nothing but a tool of the provider's would be answered with an invention. */
export function onlyServerTools(names: readonly Named[]): Extract<Screened, { kind: 'refused' }> {
  const words = names.map(({ name }) => name).join(', ');
  const tools = [...new Set(names.flatMap(({ tool }) => tool ?? []))];
  const hint =
    tools.length === 0
      ? 'No setting allows it.'
      : `To allow it, add ${tools.join(' and ')} to gateway.server_tools in your own settings.`;
  return refused(
    'server_tool_refused',
    `The tool ${words} runs at the provider, which is off. ${hint}`,
  );
}

/** Tools in a shape that no screen reads: the provider might still find one of its own in there. */
export function refuseMalformedTools({
  tools,
}: Body): Extract<Screened, { kind: 'refused' }> | undefined {
  if (isAbsent(tools) || (Array.isArray(tools) && tools.every(isRecord))) return undefined;
  return refused(
    'malformed_tools',
    'The field tools has to be a list of objects. Send it as a list, or leave it out.',
  );
}

export function notBounded(field: string): Extract<Screened, { kind: 'refused' }> {
  return refused(
    'cost_not_bounded',
    `A budget is set, and ${field} makes the cost of a call unbounded. Leave it out, or remove the budget.`,
  );
}

/** True for what every API takes as "not given". */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A count of answers: anything but one is more than was reserved for. */
export function isOne(value: unknown): boolean {
  return isAbsent(value) || value === 1;
}

export function without(body: Body, names: ReadonlySet<string>): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)));
}

/** Fields that no list knows, and that a cap therefore can't count. */
export function unknownFields(body: Body, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(body).filter((name) => !known.has(name));
}

/** Calls `see` with each object in a value, and goes into those for which it returns true. */
export function walk(value: unknown, see: (found: Body) => boolean, depth = 0): void {
  if (depth > 64) return;
  if (Array.isArray(value)) {
    for (const item of value) walk(item, see, depth + 1);
  } else if (isRecord(value) && see(value)) {
    for (const item of Object.values(value)) walk(item, see, depth + 1);
  }
}
