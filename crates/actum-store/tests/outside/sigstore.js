// The attestation with @sigstore/verify, and the log with the code that it has for its own.

const { readFileSync } = require('fs');
const { createPublicKey } = require('crypto');
const { join, dirname } = require('path');
const { bundleFromJSON } = require('@sigstore/bundle');
const { Verifier, toSignedEntity, toTrustMaterial } = require('@sigstore/verify');

const inside = dirname(require.resolve('@sigstore/verify'));
const { verifyCheckpoint } = require(join(inside, 'tlog/checkpoint.js'));
const { verifyMerkleInclusion } = require(join(inside, 'tlog/merkle.js'));

const nobody = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
const thresholds = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };

function checkAttestation(read, trust) {
  const rawBytes = createPublicKey(readFileSync(join(trust, 'signer.pem'))).export({ type: 'spki', format: 'der' });
  const { keyid } = JSON.parse(readFileSync(join(trust, 'signer.intoto.json'), 'utf8'));
  const bundle = bundleFromJSON(JSON.parse(read('sigstore.json').toString('utf8')));
  const material = toTrustMaterial(nobody, { [keyid]: { rawBytes } });
  new Verifier(material, thresholds).verify(toSignedEntity(bundle));
}

function checkLog(read, trust) {
  const [name, id] = readFileSync(join(trust, 'signer.vkey'), 'utf8').split('+');
  const publicKey = createPublicKey(readFileSync(join(trust, 'signer.pem')));
  const proof = JSON.parse(read('inclusion.json').toString('utf8'));
  const inclusionProof = {
    logIndex: String(proof.leaf_index),
    hashes: proof.hashes.map((hash) => Buffer.from(hash, 'hex')),
    checkpoint: { envelope: read('checkpoint').toString('utf8') },
  };
  const entry = { canonicalizedBody: read('record.json'), inclusionProof };
  const checkpoint = verifyCheckpoint(entry, [{ baseURL: name, logID: Buffer.from(id, 'hex'), publicKey }]);
  if (checkpoint.origin !== name || checkpoint.logSize !== BigInt(proof.tree_size)) {
    throw new Error('the checkpoint is of another log, or another size');
  }
  verifyMerkleInclusion(entry, checkpoint);
}

function reader(folder, part, at) {
  return (name) => {
    const data = readFileSync(join(folder, name));
    if (name === part) data[at] ^= 1;
    return data;
  };
}

let accepted = 0;
let refused = 0;
for (const { folder, trust, changes } of JSON.parse(readFileSync(process.argv[2], 'utf8')).bundles) {
  checkAttestation(reader(folder), trust);
  checkLog(reader(folder), trust);
  accepted += 1;
  for (const [part, at] of changes) {
    try {
      (part === 'sigstore.json' ? checkAttestation : checkLog)(reader(folder, part, at), trust);
      console.error(`accepted byte ${at} of ${part} in ${folder}`);
    } catch {
      refused += 1;
    }
  }
}
console.log(`${accepted} accepted, ${refused} refused`);
