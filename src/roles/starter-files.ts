/** The role files that `supervisor init` adds on request: small and commented. Unedited, they change nothing. */
import type { Pack } from './packs.ts';

export type StarterFile = {
  /** Relative to the project's `.supervisor` folder. */
  readonly path: string;
  readonly text: string;
};

export function starterFiles(
  packs: readonly Pack[],
  testCommand: string | undefined,
): readonly StarterFile[] {
  if (packs.length === 0) return [];
  return [
    { path: 'templates/README.md', text: TEMPLATES },
    ...packs.flatMap(({ title, roles }) =>
      roles.map((role) => ({
        path: `roles/${role}.yaml`,
        text: roleFile(role, title, testCommand),
      })),
    ),
  ];
}

const TEMPLATES = `A template here overrides the template of the package with the same name: _base.j2, _output_schema.j2, planning.j2,
implement.j2, review_strict.j2, ui_design.j2. It can extend the others. \`supervisor context ROLE --prompt\` shows the result.
`;

/** The role stays in the package. The project adds to it in this file. */
function roleFile(role: string, title: string, testCommand: string | undefined): string {
  const command = testCommand ?? 'make test';
  return `# ${title}: what this project adds to the role ${role}.
# \`supervisor roles show ${role}\` shows the whole role and where each field comes from.
extends: ${role}

# What every agent in this role must know about this project:
# system_prompt_additions: |
#   Money is counted in cents.

# context:
#   always_include: [docs/STANDARDS/**]
#   exclude: ["**/fixtures/**"]

# gates:
#   - {name: tests, command: ${command}, on_fail: retry}
`;
}
