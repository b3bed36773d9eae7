/**
 * Whether a call asks how something outside of the work is, such as a job, a page or a log. Its answer may change without
 * the agent, so the same answer again may be a look at something slow. Asked once, it is a call like any other.
 */
import { hasEnded, mayGoOn } from './job-words.ts';
import { isLookTool } from './is-look.ts';
import { COMMAND_CHARS_MAX } from './tool-fields.ts';
import { asksForStatus, saysItself } from './waiting.ts';
import type { WaitingCall } from './waiting.ts';

/** Files that a program writes while it runs. */
const GROWING =
  /\.(?:log|out|err|output|pid)(?=$|[\s"';&|)])|\bnohup\b|\/proc\/\d+|(?:^|[\s/])logs?\/|\btail +(?:-|\S)/;
/** A test for a file that is to appear. */
const APPEARING = /(?:^|[;&|(]|\b(?:if|while|until)\s)\s*(?:test|\[\[?)\s+!?\s*-[defsrwx]\s/;
/** Programs that ask over the network, or ask the system. */
const ASKS =
  /(?:^|[;&|({]\s*|\b(?:sudo|time|timeout \S+)\s+)(?:curl|wget|https?|xh|ssh|nc|ping|dig|mysqladmin|redis-cli|gh api|argocd|helm (?:status|list)|vercel|fly(?:ctl)?|heroku|nomad|vagrant|virsh|adb|xcrun simctl|supervisorctl|lsof|ss|netstat|top|free|uptime|nvidia-smi|crontab|at -l|atq|npm (?:view|info)|pip index|git (?:fetch|ls-remote))(?=\s|$)/;
/** A row that says how far something is. */
const ASKS_TABLE = /\b(?:psql|mysql|sqlite3|mongosh)\b.*\b(?:count|status|state|progress)\b/i;
const ASK_TOOL =
  /(?:^|[_.:-])(?:get|list|read|show|check|describe|inspect|view)_(?:\w+_)?(?:jobs?|builds?|runs?|tasks?|pipelines?|deployments?|processes|process|agents?|workflows?|queues?|logs?|checks|monitors?|executions?)(?=$|[_.:-])/i;
/** A page is long. An answer about a job is short. */
const ANSWER_CHARS = 2000;

export function asksOutside(call: WaitingCall): boolean {
  const { tool, output, error } = call;
  const subject = (call.subject ?? '').slice(0, COMMAND_CHARS_MAX);
  if (error !== null || hasEnded(output)) return false;
  // Without any words it is not known what the call has done: it may have pressed a key.
  if (subject === '' && output.trim() === '' && !isLookTool(tool)) return true;
  const isOfWork = saysItself({ tool, subject });
  if (ASK_TOOL.test(tool) || APPEARING.test(subject)) return true;
  if (GROWING.test(subject) && !isOfWork) return true;
  if (output.length > ANSWER_CHARS) return false;
  if (!isOfWork && mayGoOn(output)) return true;
  return ASKS.test(subject) || ASKS_TABLE.test(subject) || asksForStatus(subject);
}
