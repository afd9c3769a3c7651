import type { Command } from 'commander';
import { changeProfile, readProfile } from '../credentials.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { outOf, profileName } from '../session.ts';
import { endSession, notSignedIn } from '../sign-in.ts';

export function define(logout: Command): void {
  logout.action(async (_options: object, command: Command) => {
    const out = outOf(command);
    const name = profileName(command);
    const profile = await readProfile(name);
    if (!profile) throw notSignedIn();
    // Deleted locally in any case: an unreachable service must not keep someone signed in on a shared machine.
    await changeProfile(name, () => Promise.resolve(undefined));
    await endSession(profile).catch((error: Error) => {
      throw new CliError(
        exitCodes.unavailable,
        'session_not_ended',
        `Credentials deleted from this machine, but the session is still active: ${error.message}`,
        'It expires on its own, or you can end it in the portal under Profile > Sessions.',
      );
    });
    out.result({ profile: name, apiUrl: profile.apiUrl }, `Signed out of ${profile.apiUrl}.`);
  });
}
