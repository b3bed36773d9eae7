/** The files that `supervisor init` proposes: small, with comments, and harmless as they are. */
import type { Pack } from './packs.ts';

export type StarterFile = {
  /** Below the project's `.supervisor` folder. */
  readonly path: string;
  readonly text: string;
};

export function starterFiles(
  packs: readonly Pack[],
  testCommand: string | undefined,
): readonly StarterFile[] {
  return [
    { path: 'config.yaml', text: CONFIG },
    { path: 'templates/README.md', text: TEMPLATES },
    ...packs.flatMap(({ title, roles }) =>
      roles.map((role) => ({
        path: `roles/${role}.yaml`,
        text: roleFile(role, title, testCommand),
      })),
    ),
  ];
}

const CONFIG = `# Settings of this project, for everybody who works on it. Every key has a default:
# \`supervisor config\` shows all of them and where they come from.
version: 1

# The agent of a run that names none.
# default_agent: claude

# What must pass before a run counts as done.
# gates:
#   - {name: test, command: [npm, test]}

# What makes a fresh copy of this project ready to work in.
# setup: {command: [npm, ci], inputs: [package-lock.json], network: [registry]}
`;

const TEMPLATES = `A template here hides the one of the same name in the package: _base.j2, _output_schema.j2, planning.j2,
implement.j2, review_strict.j2, ui_design.j2. It may extend the others. \`supervisor context ROLE --prompt\` shows the result.
`;

/** The role stays the package's; the file is where the project adds to it. */
function roleFile(role: string, title: string, testCommand: string | undefined): string {
  const command = testCommand ?? 'make test';
  return `# ${title}: what this project adds to the role ${role}.
# \`supervisor roles show ${role}\` shows the whole role and where each field comes from.
extends: ${role}

# What everybody in this role must know about this project:
# system_prompt_additions: |
#   Money is counted in cents.

# context:
#   always_include: [docs/STANDARDS/**]
#   exclude: ["**/fixtures/**"]

# gates:
#   - {name: tests, command: ${command}, on_fail: retry}
`;
}
