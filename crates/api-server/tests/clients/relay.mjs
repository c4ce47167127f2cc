// Stands in for a server's process: passes stdin on to a port of this machine, and what comes back to stdout.
import { connect } from 'node:net';

const socket = connect(Number(process.argv[2]), '127.0.0.1');
process.stdin.pipe(socket).pipe(process.stdout);
socket.on('close', () => process.exit());
