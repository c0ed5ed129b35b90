/**
 * Ordinary calls of an agent at work in `/home/u`, as they come up in coding, notes and housekeeping: none of them
 * touches anything protected, and each is of a kind that the guard can check. `~` stands for the home.
 *
 * `R` read_file, `W` write_file, `P` patch, `T` terminal (`T@dir` with a working directory).
 */
export const benign = `
R ~/proj/README.md
R ~/proj/package.json
R ~/proj/package-lock.json
R ~/proj/tsconfig.json
R ~/proj/src/main.ts
R ~/proj/src/server/http.ts
R ~/proj/src/server/http.test.ts
R ~/proj/src/app/[id]/page.tsx
R ~/proj/src/app/(marketing)/page.tsx
R ~/proj/src/lib/a+b.ts
R ~/proj/src/lib/@types/index.d.ts
R ~/proj/src/lib/index~
R ~/proj/.gitignore
R ~/proj/.github/workflows/ci.yml
R ~/proj/.env.example
R ~/proj/.environment
R ~/proj/.env.d/readme
R ~/proj/docs/guide.md
R ~/proj/docs/v1.2/changes.md
R ~/proj/docs/../README.md
R ~/proj/docs/
R ~/proj/dist
R ~/proj/node_modules/effect/package.json
R ~/proj/node_modules/.bin/tsc
R ~/proj/node_modules/linked/index.js
R ~/proj/not/there/yet.md
R ~/proj/src/does-not-exist.ts
R ~/proj/release/current/app.js
R ~/proj/data/2026-01-31.csv
R ~/proj/data/part=1/rows.csv
R ~/proj/data/100%/done.txt
R ~/proj/data/a b c.txt
R ~/proj/data/résumé.txt
R ~/proj/data/日本語/メモ.md
R ~/proj/data/emoji-🙂.md
R ~/proj/data/it's.txt
R ~/proj/data/"quoted".txt
R ~/proj/data/$price.txt
R ~/proj/data/a;b.txt
R ~/proj/data/a&b.txt
R ~/proj/data/#1.txt
R ~/proj/data/a*b.txt
R ~/proj/data/what?.txt
R ~/proj/data/back\\slash.txt
R ~/notes/inbox.md
R ~/notes/people/anna.md
R ~/notes/2026/01/31.md
R ~/notes/projects/ssh-setup.md
R ~/notes/aws.md
R ~/notes/.obsidian/app.json
R ~/Documents/invoice (1).pdf
R ~/Documents/Tax 2025/summary.txt
R ~/Documents/archive.tar.gz
R ~/.bashrc
R ~/.gitconfig
R ~/.config/app/settings.json
R ~/.sshx/readme
R ~/.awsome/readme
R ~/.hermes-notes/a.md
R ~/.cache/build/log.txt
R /etc/hosts
R /etc/os-release
R /usr/share/doc/readme.txt
R /opt/tool/config.yaml
R /var/log/app.log
R /srv/site/index.html
R /tmp/report.txt
R /tmp/../tmp/report.txt
W ~/proj/README.md
W ~/proj/CHANGELOG.md
W ~/proj/src/main.ts
W ~/proj/src/new-module.ts
W ~/proj/src/new/deep/module.ts
W ~/proj/src/app/[id]/page.tsx
W ~/proj/src/lib/index.d.ts
W ~/proj/test/main.test.ts
W ~/proj/.github/workflows/release.yml
W ~/proj/.env.example
W ~/proj/.gitignore
W ~/proj/docs/guide.md
W ~/proj/docs/new guide.md
W ~/proj/docs/übersicht.md
W ~/proj/data/out.csv
W ~/proj/data/part=2/rows.csv
W ~/proj/release/current/app.js
W ~/proj/release/next/app.js
W ~/proj/scripts/build.sh
W ~/proj/Dockerfile
W ~/proj/Makefile
W ~/proj/a.txt
W ~/notes/inbox.md
W ~/notes/2026/02/01.md
W ~/notes/people/ben.md
W ~/notes/ideas/日記.md
W ~/notes/projects/hermes.md
W ~/notes/projects/.hidden.md
W ~/Documents/letter.txt
W ~/Documents/Tax 2026/plan.md
W ~/todo.txt
W ~/.config/app/settings.json
W ~/.cache/build/out.txt
W ~/.profile
W /tmp/report.txt
W /tmp/work/result.json
W /tmp/a
W /srv/site/index.html
W /srv/site/posts/1.html
W /opt/tool/config.yaml
P ~/proj/src/main.ts
P ~/proj/src/server/http.ts
P ~/proj/src/server/http.test.ts
P ~/proj/src/app/[id]/page.tsx
P ~/proj/src/lib/a+b.ts
P ~/proj/package.json
P ~/proj/tsconfig.json
P ~/proj/README.md
P ~/proj/docs/guide.md
P ~/proj/docs/../README.md
P ~/proj/.github/workflows/ci.yml
P ~/proj/scripts/build.sh
P ~/proj/release/current/app.js
P ~/proj/test/main.test.ts
P ~/notes/inbox.md
P ~/notes/people/anna.md
P ~/notes/2026/01/31.md
P ~/Documents/Tax 2025/summary.txt
P ~/.bashrc
P ~/.config/app/settings.json
P /tmp/report.txt
P /srv/site/index.html
P /opt/tool/config.yaml
T pwd
T@~/proj pwd
T@~/proj/src pwd
T@/tmp pwd
T@~/proj cat ~/proj/package.json
T cat ~/proj/README.md
T cat ~/proj/src/main.ts
T cat ~/proj/src/main.ts ~/proj/src/server/http.ts
T cat ~/proj/package.json ~/proj/tsconfig.json ~/proj/.gitignore
T cat ~/proj/docs/guide.md ~/notes/inbox.md
T cat -- ~/proj/README.md
T cat "~/Documents/Tax 2025/summary.txt"
T cat '~/Documents/Tax 2025/summary.txt'
T cat "~/proj/README.md"
T cat ~/proj/docs/../README.md
T cat ~/proj/release/current/app.js
T cat ~/proj/.github/workflows/ci.yml
T cat ~/proj/.env.example
T cat ~/proj/src/lib/a+b.ts
T cat ~/proj/src/lib/@types/index.d.ts
T cat ~/proj/data/2026-01-31.csv
T cat ~/proj/data/100%/done.txt
T cat ~/notes/2026/01/31.md
T cat ~/.bashrc
T cat ~/.sshx/readme
T cat /etc/hosts
T cat /etc/os-release
T cat /var/log/app.log
T cat /tmp/report.txt
T cat ~/proj/not-there.txt
T touch ~/proj/a.txt
T touch ~/proj/src/new.ts
T touch ~/proj/src/one.ts ~/proj/src/two.ts ~/proj/src/three.ts
T touch ~/notes/inbox.md
T touch "~/Documents/new letter.txt"
T touch /tmp/stamp
T touch ~/proj/docs/v1.2/new.md
T mkdir ~/proj/build
T mkdir ~/proj/src/feature
T mkdir -p ~/proj/src/feature/deep/er
T mkdir -p ~/proj/a ~/proj/b ~/proj/c
T mkdir -p "~/Documents/Tax 2026"
T mkdir -p ~/notes/2026/02
T mkdir -p ~/.config/app
T mkdir -p ~/.hermes-notes/x
T mkdir /tmp/work
T mkdir -p -- ~/proj/coverage
T rm ~/proj/a.txt
T rm -f ~/proj/a.txt
T rm -f ~/proj/a.txt ~/proj/b.txt
T rm ~/proj/src/old.ts ~/proj/src/older.ts
T rm -r ~/proj/dist
T rm -rf ~/proj/dist
T rm -rf ~/proj/dist ~/proj/coverage
T rm -fr ~/proj/build/
T rm -r -f ~/proj/tmp
T rm -rf -- ~/proj/dist
T rm -rf ~/proj/node_modules
T rm -rf "~/proj/old build"
T rm ~/proj/release/current
T rm ~/proj/node_modules/pnpm/index.js
T rm -f /tmp/report.txt
T rm -rf /tmp/work
T rm ~/notes/2026/01/31.md
T rm -rf ~/.cache/build
T cp ~/proj/README.md ~/proj/README.bak
T cp ~/proj/README.md ~/proj/docs
T cp ~/proj/README.md ~/proj/docs/
T cp ~/proj/README.md ~/proj/docs/readme.md
T cp ~/proj/.env.example ~/proj/.env.local
T cp ~/proj/src/main.ts /tmp/main.ts
T cp "~/Documents/Tax 2025/summary.txt" "~/Documents/Tax 2026/summary.txt"
T cp -- ~/proj/a.txt ~/proj/b.txt
T cp ~/proj/node_modules/pnpm/index.js ~/proj/index.js
T cp /etc/hosts /tmp/hosts
T cp ~/notes/inbox.md ~/notes/2026/01
T cp ~/proj/docs/../README.md ~/proj/README2.md
T mv ~/proj/a.txt ~/proj/b.txt
T mv ~/proj/src/old.ts ~/proj/src/new.ts
T mv ~/proj/src/old.ts ~/proj/src/server
T mv ~/proj/src/old.ts ~/proj/src/server/
T mv ~/proj/dist ~/proj/dist.old
T mv ~/proj/docs ~/proj/documentation
T mv ~/notes/inbox.md ~/notes/2026/01/
T mv "~/Documents/invoice-1.pdf" "~/Documents/Tax 2025"
T mv -- ~/proj/a.txt ~/proj/c.txt
T mv ~/proj/release/next ~/proj/release/2
T mv /tmp/report.txt ~/Documents
T mv ~/proj ~/proj2
T mv ~/Documents/archive.tar.gz /tmp/archive.tar.gz
T@~/notes mv ~/notes/people/anna.md ~/notes/people/anna-b.md
T@/tmp rm -f /tmp/x
T@~/proj touch ~/proj/.keep
`

/**
 * As ordinary, and outside of the grammar on purpose (seed 004: "This intentionally rejects some harmless commands"):
 * counted, so that the price of the grammar is known.
 */
export const beyondTheGrammar = `
T ls
T ls -la ~/proj
T cat README.md
T cat ~/proj/*.md
T git status
T git diff HEAD
T git commit -m "message"
T npm test
T npm install
T node --version
T python3 script.py
T grep -rn TODO ~/proj/src
T find ~/proj -name main.ts
T head -20 ~/proj/README.md
T tail -f /var/log/app.log
T wc -l ~/proj/README.md
T echo hello
T cd ~/proj && npm test
T cat ~/proj/a.txt | head
T cp -r ~/proj/docs ~/proj/docs2
T rm -i ~/proj/a.txt
T mkdir -p ~/proj/{a,b}
T chmod +x ~/proj/scripts/build.sh
T which node
T date
T sed -n 1,10p ~/proj/README.md
T tar xzf ~/Documents/archive.tar.gz
T curl -s https://example.org
T make build
T docker ps
`
