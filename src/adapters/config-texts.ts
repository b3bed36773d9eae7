/**
 * What a contained agent gets of the folder that `config_dir` names: the texts that tell it how to work. Settings stay
 * out, since they can name another provider, key or permission than the gateway and the sandbox give; logins,
 * histories and caches stay out, since no agent may see them.
 */
export type InstructionFiles = {
  /** Where they lie in the folder that the user names; empty: right in it. */
  readonly from: string;
  /** Where the CLI looks for them in a home of its own. */
  readonly to: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
};

const CONFIG_TEXTS: Readonly<Record<string, InstructionFiles>> = {
  claude: {
    from: '',
    to: '.claude',
    files: ['CLAUDE.md'],
    folders: ['agents', 'commands', 'output-styles', 'rules', 'skills'],
  },
  codex: { from: '', to: '.codex', files: ['AGENTS.md'], folders: ['prompts', 'rules', 'skills'] },
  gemini: {
    // Its variable names the folder above the one that it uses.
    from: '.gemini',
    to: '.gemini',
    files: ['GEMINI.md'],
    folders: ['agents', 'commands', 'skills'],
  },
  copilot: {
    from: '',
    to: '.copilot',
    files: ['copilot-instructions.md'],
    folders: ['agents', 'skills'],
  },
  opencode: {
    from: '',
    to: '.config/opencode',
    files: ['AGENTS.md'],
    folders: ['agent', 'agents', 'command', 'commands', 'skill', 'skills'],
  },
};

/** Undefined for a program whose folder nobody knows. */
export function instructionFilesFor(cli: string): InstructionFiles | undefined {
  return CONFIG_TEXTS[cli];
}
