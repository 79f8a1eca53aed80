// The checkpoint and the proof with the packages note and tlog, which the formats come from.
package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type change struct {
	part string
	at   int
}

func (c *change) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]interface{}{&c.part, &c.at})
}

type bundle struct {
	Folder, Trust string
	Changes       []change
}

func (b bundle) check(c change) error {
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(b.Folder, name))
		if err != nil {
			log.Fatal(err)
		}
		if name == c.part {
			data[c.at] ^= 1
		}
		return data
	}
	key, err := os.ReadFile(filepath.Join(b.Trust, "signer.vkey"))
	if err != nil {
		log.Fatal(err)
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(key)))
	if err != nil {
		log.Fatal(err)
	}
	opened, err := note.Open(read("checkpoint"), note.VerifierList(verifier))
	if err != nil {
		return err
	}
	var origin, root string
	var size int64
	if _, err := fmt.Sscanf(opened.Text, "%s\n%d\n%s\n", &origin, &size, &root); err != nil {
		return err
	}
	rootHash, err := tlog.ParseHash(root)
	if err != nil {
		return err
	}
	var inclusion struct {
		Index  int64 `json:"leaf_index"`
		Size   int64 `json:"tree_size"`
		Hashes []string
	}
	if err := json.Unmarshal(read("inclusion.json"), &inclusion); err != nil {
		return err
	}
	if origin != verifier.Name() || inclusion.Size != size {
		return errors.New("the checkpoint is of another log, or another size")
	}
	var proof tlog.RecordProof
	for _, text := range inclusion.Hashes {
		var hash tlog.Hash
		if n, err := hex.Decode(hash[:], []byte(text)); err != nil || n != tlog.HashSize {
			return errors.New("this is no hash")
		}
		proof = append(proof, hash)
	}
	return tlog.CheckRecord(proof, size, rootHash, inclusion.Index, tlog.RecordHash(read("record.json")))
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var plan struct{ Bundles []bundle }
	if err := json.Unmarshal(data, &plan); err != nil {
		log.Fatal(err)
	}
	accepted, refused := 0, 0
	for _, one := range plan.Bundles {
		if err := one.check(change{}); err != nil {
			log.Fatal(one.Folder, ": ", err)
		}
		accepted++
		for _, c := range one.Changes {
			if one.check(c) != nil {
				refused++
			} else {
				log.Print("accepted byte ", c.at, " of ", c.part, " in ", one.Folder)
			}
		}
	}
	fmt.Printf("%d accepted, %d refused\n", accepted, refused)
}
