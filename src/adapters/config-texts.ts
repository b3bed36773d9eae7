/**
 * The part of the user's `config_dir` that a sandboxed agent gets: the texts that tell it how to
 * work. Settings are excluded, because they can name another provider, key or permission than the
 * gateway and the sandbox allow. Logins, histories and caches are excluded, because no agent may
 * see them.
 */
export type InstructionFiles = {
  /** The path of the texts inside the user's folder. Empty means the folder itself. */
  readonly from: string;
  /** The path at which the CLI expects them in its own home. */
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
    // Its variable names the parent of the folder that it uses.
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

/** Undefined if the folder of the CLI is unknown. */
export function instructionFilesFor(cli: string): InstructionFiles | undefined {
  return CONFIG_TEXTS[cli];
}
