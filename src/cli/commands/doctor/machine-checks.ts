import { X509Certificate } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname } from 'node:path';
import type { Config } from '../../../config/config.ts';
import { DAY } from '../../../shared/lifetimes.ts';
import { momentText } from '../../../shared/moments.ts';
import { readTlsPair } from '../../../shared/net/tls-pair.ts';
import { isKeysFileThere, loadKeys } from '../../../store/files/keys-file.ts';
import { isMissing } from '../../../store/driver/open-store.ts';
import { ROOM_BYTES } from '../../../store/files/spill.ts';
import { notLookedAt, ok, type CheckVerdict, warning } from '../../../domain/checks/verdict.ts';
import { failure } from './verdict.ts';

/** What `doctor` checks on this machine alone. */

/** Whether the key file exists, is whole, and is readable by its owner alone. */
export async function checkKeysFile(config: Config): Promise<CheckVerdict> {
  const { keysFile } = config;
  if (!isKeysFileThere(keysFile)) {
    const isInUse = config.database.kind === 'sqlite' && !isMissing(config.database);
    if (config.production || isInUse) throw failure(`KEYS_FILE: ${keysFile} is missing`);
    return notLookedAt(
      `${keysFile} does not exist yet. The first start makes the file, if the database is new`,
    );
  }
  loadKeys(keysFile);
  const mode = (statSync(keysFile).mode & 0o777).toString(8);
  return ok(`${keysFile} was read and is whole. Only its owner may read the file (mode ${mode})`);
}

/** ACME renews a certificate thirty days before its end. With fewer days left than this, the renewal did not happen. */
const RENEWAL_OVERDUE = 21;

function verdictOnDays({ certFile }: { certFile: string }, certificate: X509Certificate): CheckVerdict {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const now = Date.now();
  if (now < from) throw failure(`TLS_CERT_FILE: ${certFile} is valid only from ${momentText(from)} on`);
  if (now > to) throw failure(`TLS_CERT_FILE: ${certFile} has expired at ${momentText(to)}`);
  const days = Math.floor((to - now) / DAY);
  const words = `TLS_CERT_FILE and TLS_KEY_FILE belong together; ${days} days left, until ${momentText(to)}`;
  return days < RENEWAL_OVERDUE ? warning(`${words}. Renew the certificate`) : ok(words);
}

/** Whether certificate and key match, how long the certificate lasts, and whether it names the public address. */
export async function checkCertificate({ tls, publicUrl }: Config): Promise<CheckVerdict> {
  if (tls === undefined)
    return notLookedAt('the settings name no certificate. If there is one, a proxy of TRUST_PROXY has it');
  const certificate = new X509Certificate(readTlsPair(tls).cert);
  const onDays = verdictOnDays(tls, certificate);
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  const named = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  if (named !== undefined) return onDays;
  return warning(`${onDays.detail}. The certificate does not name ${host}, the host of PUBLIC_URL`);
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

const MEGABYTE = 1024 * 1024;
const SCARCE = 512 * MEGABYTE;

async function verdictOnRoom(path: string): Promise<CheckVerdict> {
  const folder = nearestFolder(path);
  const { bavail, bsize } = await statfs(folder);
  const room = bavail * bsize;
  const words = `${Math.floor(room / MEGABYTE)} MB free at ${folder}`;
  if (room < ROOM_BYTES)
    throw failure(
      `${words}. The bridge refreshes no grant with less than ${ROOM_BYTES / MEGABYTE} MB. Make room`,
    );
  return room < SCARCE ? warning(`${words}, which is little. Make room`) : ok(words);
}

/** Whether the disk of `VAR_DIR` has room. */
export async function checkDisk({ varDir }: Pick<Config, 'varDir'>): Promise<CheckVerdict> {
  return verdictOnRoom(varDir);
}

/** Whether the disk of the database has room. */
export async function checkDatabaseDisk({ database }: Pick<Config, 'database'>): Promise<CheckVerdict> {
  if (database.kind === 'postgres')
    return notLookedAt('PostgreSQL does not tell how much room its disk has. Look on its server');
  return verdictOnRoom(dirname(database.file));
}
