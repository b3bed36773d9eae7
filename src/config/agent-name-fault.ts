import {
  findScriptedProgram,
  isScriptedName,
  nearestScripted,
  SCRIPTED_LIST,
} from '../adapters/scripted/scripted-programs.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';

export type AgentNameFault = { readonly problem: string; readonly nearest: string | undefined };

/** Why a setting that names an agent names none; undefined if it names one of `known` or a scripted agent. */
export function agentNameFault(id: string, known: readonly string[]): AgentNameFault | undefined {
  if (known.includes(id)) return undefined;
  if (isScriptedName(id)) return scriptedNameFault(id);
  const meant = nearest(id, known);
  return { problem: `no agent is called ${quote(id)}${suggest(meant)}`, nearest: meant };
}

/** Why the id of a scripted agent names no program; undefined if it names one. */
export function scriptedNameFault(id: string): AgentNameFault | undefined {
  if (findScriptedProgram(id) !== undefined) return undefined;
  const meant = nearestScripted(id);
  const problem = `no scripted agent is called ${quote(id)}${suggest(meant)}; use ${SCRIPTED_LIST}`;
  return { problem, nearest: meant };
}
