/* sframe-coro: .sframe_coro sections in ELF files.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <gelf.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf-names.h"
#include "sframe-coro-api.h"

/* With what libdwfl is to look at files that are mapped nowhere: their debug
   information is where it usually is.  */
extern const Dwfl_Callbacks elf_file_callbacks;

/* A section of the name.  */
typedef struct elf_coro
{
  const char *name; /* ".sframe_coro".  */
  size_t scn;	    /* Section number.  */
  uint64_t address; /* sh_addr.  */
  const unsigned char *bytes; /* NULL if the file does not hold them.  */
  size_t size;
} elf_coro;

/* All sections of ELF that are called .sframe_coro, in order, in *SECTIONS,
   to be freed; `bytes' are ELF's.  Without section headers, what a program
   header says is the section, with number 0.  Return how many there are.  */
extern size_t elf_coro_sections (Elf *elf, elf_coro **sections);

/* An ELF file for `dump' and `check'.  */
typedef struct elf_file
{
  const char *path;
  int fd;
  Elf *elf;
  GElf_Ehdr header;
  bool relocatable;
  elf_coro *sections; /* With the relocations applied.  */
  size_t num_sections;
  unsigned char **contents; /* What is not ELF's.  */
  elf_names *names;	    /* Of relocatable files.  */
  Dwfl *dwfl;		    /* For symbols of others.  */
  Dwfl_Module *module;
  GElf_Addr bias;
} elf_file;

/* Open PATH; false after a message.  That there is no section is one.  */
extern bool elf_file_open (elf_file *file, const char *path);
extern void elf_file_close (elf_file *file);

/* Write a name for ADDRESS, which the field at offset FIELD of section S
   refers to, into BUF; false if there is none.  */
extern bool elf_file_name (const elf_file *file, const elf_coro *s,
			   uint64_t address, size_t field, char *buf,
			   size_t len);

/* Program header of TYPE, the first; false if there is none.  */
extern bool elf_phdr (Elf *elf, GElf_Word type, GElf_Phdr *phdr);

/* Read SIZE bytes at ADDRESS of the file's image.  */
extern bool elf_image_read (Elf *elf, uint64_t address, void *buf,
			    size_t size);

#endif /* ELF_FILE_H */
