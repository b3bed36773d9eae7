/** Finds the adapter of an agent. */
import type { AgentAdapter } from './adapter.ts';
import { claude } from './claude/claude.ts';
import { codex } from './codex/codex.ts';
import { copilot } from './copilot/copilot.ts';
import type { CustomSpec } from './custom/custom.ts';
import { custom } from './custom/custom.ts';
import { gemini } from './gemini/gemini.ts';
import { opencode } from './opencode/opencode.ts';
import { scripted } from './scripted/scripted.ts';
import type { AgentSpec } from '../protocol/pinned-settings.ts';

const ADAPTERS: readonly AgentAdapter[] = [claude, codex, gemini, copilot, opencode, scripted];

/** Undefined if the CLI is unknown. */
export function adapterFor(
  agent: Pick<AgentSpec, 'cli'> & Partial<CustomSpec>,
): AgentAdapter | undefined {
  if (agent.cli === 'custom') return custom(agent);
  return ADAPTERS.find(({ cli }) => cli === agent.cli);
}
