/** The tool grants of roles. Each adapter maps them to the tools of its CLI. */

/** The tools to which an agent can be limited. */
const TOOL_GRANTS = ['read', 'edit', 'shell', 'web'] as const;
export type ToolGrant = (typeof TOOL_GRANTS)[number];

const ALIASES: Readonly<Record<string, ToolGrant>> = {
  read_file: 'read',
  list_files: 'read',
  search: 'read',
  edit_file: 'edit',
  write: 'edit',
  write_file: 'edit',
  bash: 'shell',
  run_command: 'shell',
  web_fetch: 'web',
  web_search: 'web',
};

export type GrantedTools =
  | { readonly kind: 'granted'; readonly grants: ReadonlySet<ToolGrant> }
  | { readonly kind: 'refused'; readonly why: string };

export function readGrants(names: readonly string[]): GrantedTools {
  const grants = new Set<ToolGrant>();
  for (const name of names) {
    const grant = TOOL_GRANTS.find((one) => one === name) ?? ALIASES[name];
    if (grant === undefined)
      return {
        kind: 'refused',
        why: `cannot be limited to the tool "${name}" (known: ${TOOL_GRANTS.join(', ')})`,
      };
    grants.add(grant);
  }
  return { kind: 'granted', grants };
}

/** The CLI's own tools for these grants. */
export function toolsFor(
  grants: ReadonlySet<ToolGrant>,
  own: Readonly<Record<ToolGrant, readonly string[]>>,
): readonly string[] {
  return [...grants].flatMap((grant) => own[grant]);
}
